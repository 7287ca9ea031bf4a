import { extractTerms } from '../../kernel/text/terms.ts'

/**
 * How a newer statement relates to an older one. `same`: the same thing in nearly the same words. `changed`: it gives another
 * value for the same thing. `sibling`: a similar thing with its own number or name. Anything less plain is `other`.
 */
export type StatementRelation = 'same' | 'changed' | 'sibling' | 'other'

function toWordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** Words that carry no content of their own in a statement. */
const FILLERS = toWordSet(
  'a all also always an and any are as at be because been by can case codebase could did do does due for given had has have here how i if in ' +
    'into is it its just like me must my need now of on or our please prefer preferably project really remember repo repository shall should ' +
    'since so still that the their them then there these they this to too us use used using want wants was we were when where which while will ' +
    'with would you your',
)
const NEGATIONS = toWordSet('avoid cannot never no nor not nothing without')
/** With one of these, the order of the words is part of the meaning. */
const ORDERED = toWordSet('after before from instead not over than to until versus vs')
const MARKERS =
  /\b(?:now(?:adays)?|no longer|any ?more|instead|from now on|as of|switched|moved|migrated|changed|replaced|replaces)\b/gi
const MARKER_WORDS = toWordSet('now nowadays longer anymore any more instead as of from on')

/** The names of tools or styles of which a project uses one: naming another of the group contradicts the first. */
const ALTERNATIVES: readonly ReadonlySet<string>[] = [
  'npm pnpm yarn bun',
  'pip poetry uv pipenv conda',
  'tabs spaces',
  'jest vitest mocha jasmine ava',
  'cypress playwright selenium puppeteer',
  'webpack vite rollup esbuild parcel turbopack',
  'eslint tslint oxlint biome',
  'black ruff yapf autopep8',
  'express fastify koa hapi hono',
  'mysql postgres postgresql sqlite mariadb mongodb',
  'maven gradle bazel',
  'docker podman',
  'github gitlab bitbucket',
  'main master trunk',
  'squash rebase merge',
  'camelcase snake_case kebab-case pascalcase',
].map(toWordSet)

/** Parts of one system: what holds for one says nothing about another. */
const COUNTERPARTS: readonly ReadonlySet<string>[] = [
  'staging production prod dev development test testing local preview canary',
  'web api page app mobile desktop cli frontend backend client server worker admin ios android',
  'eu us asia europe',
  'windows linux macos mac',
].map(toWordSet)

const LABEL =
  /\b(step|phase|stage|part|gate|milestone|sprint|issue|ticket|task|node|shard|worker|level|layer|chapter|section|item|option|round|pr|v|g|q|s|p)[\s.#-]*(\d+)\b|#(\d+)/gi

/** Numbers that name a thing: "step 2", "v1", "#12". By the kind of thing. */
function findLabels(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map<string, Set<string>>()
  for (const [, kind = '#', number, issue] of text.matchAll(LABEL)) {
    const key = kind.toLowerCase()
    labels.set(key, (labels.get(key) ?? new Set<string>()).add(number ?? issue ?? ''))
  }
  return labels
}

/** Whether both number a thing of the same kind, and never the same one: v1 and v2, step 1 and step 2. */
function haveDifferentLabels(one: string, other: string): boolean {
  const others = findLabels(other)
  return [...findLabels(one)].some(([kind, numbers]) => {
    const theirs = others.get(kind)
    return theirs !== undefined && [...numbers].every((number) => !theirs.has(number))
  })
}

function splitWords(text: string): readonly string[] {
  const plain = text.toLowerCase().replace(/n['’]t\b/g, ' not')
  return plain.match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]|[\p{L}\p{N}_]|=/gu) ?? []
}

/** The words with content, stemmed, in order. */
function findContent(words: readonly string[]): readonly string[] {
  return words
    .map((word) => (NEGATIONS.has(word) ? 'not' : word))
    .filter((word) => !FILLERS.has(word))
    .flatMap((word) => extractTerms(word).slice(0, 1))
}

function findNumbers(words: readonly string[]): readonly string[] {
  return words.filter((word) => /\d/.test(word))
}

function without<Value>(values: readonly Value[], others: readonly Value[]): readonly Value[] {
  return values.filter((value) => !others.includes(value))
}

function isSameStatement(older: readonly string[], newer: readonly string[]): boolean {
  const [before, after] = [findContent(older), findContent(newer)]
  const [dropped, added] = [without(before, after), without(after, before)]
  const shared = before.filter((term) => after.includes(term))
  const extra = [...dropped, ...added]
  if (shared.length === 0 || (dropped.length > 0 && added.length > 0)) return false
  if (extra.length > shared.length / 3 || extra.some((term) => term === 'not' || /\d/.test(term))) return false
  if (![...older, ...newer].some((word) => ORDERED.has(word) || NEGATIONS.has(word))) return true
  const [order, newOrder] = [shared, after.filter((term) => before.includes(term))].map((terms) =>
    terms.filter((term) => term !== 'only').join(' '),
  )
  return order === newOrder
}

/** What differs between two texts that begin and end alike. */
function findSubstitution(older: readonly string[], newer: readonly string[]) {
  const shorter = Math.min(older.length, newer.length)
  let start = 0
  while (start < shorter && older[start] === newer[start]) start++
  let end = 0
  while (end < shorter - start && older.at(-1 - end) === newer.at(-1 - end)) end++
  return {
    frame: [...older.slice(0, start), ...older.slice(older.length - end)],
    lead: older[start - 1],
    isAtEnd: end === 0,
    from: older.slice(start, older.length - end),
    to: newer.slice(start, newer.length - end),
  }
}

function areInOneGroup(groups: readonly ReadonlySet<string>[], one: string, other: string): boolean {
  return one !== other && groups.some((group) => group.has(one) && group.has(other))
}

const ABANDONED =
  /\b(?:away from|from|instead of|rather than|no longer (?:use|using|on|with)?|not(?: use| using)?|stopped using|replaces|replaced|dropped)\s+([\p{L}\p{N}_.-]*[\p{L}\p{N}_])/giu

/** "we switched from pnpm to npm" after "we use pnpm". */
function abandonsValue(older: readonly string[], newer: string): boolean {
  const before = findContent(older)
  const abandoned = Array.from(newer.toLowerCase().matchAll(ABANDONED), ([, word = '']) => findContent([word])[0])
  const after = findContent(splitWords(newer))
  return (
    !before.includes('not') &&
    before.some((term) => abandoned.includes(term)) &&
    before.every((term) => after.includes(term))
  )
}

const ADDITION = /\b(?:also|too|additionally|as well)\b/i

function isChangedValue(older: readonly string[], newer: string): boolean {
  if (ADDITION.test(newer)) return false
  const isMarked = newer.search(MARKERS) >= 0
  if (isMarked && abandonsValue(older, newer)) return true
  const words = splitWords(newer)
  const current = isMarked ? words.filter((word) => !MARKER_WORDS.has(word)) : words
  const { frame, lead, isAtEnd, from, to } = findSubstitution(
    isMarked ? older.filter((word) => !MARKER_WORDS.has(word)) : older,
    current,
  )
  const [was = '', becomes = ''] = [from[0], to[0]]
  if (frame.length === 0 || from.length !== 1 || to.length !== 1) return false
  if (areInOneGroup(COUNTERPARTS, was, becomes)) return false
  if (areInOneGroup(ALTERNATIVES, was, becomes)) return true
  const hasSubject = findContent(frame).length > 0
  return hasSubject && (isMarked || (isAtEnd && (lead === 'is' || lead === '=')))
}

/** Two that each have a number and a word of their own: "port 3001 for api" and "port 3002 for web". */
function areSiblings(older: readonly string[], newer: readonly string[]): boolean {
  const [mine, theirs] = [
    without(findContent(older), findContent(newer)),
    without(findContent(newer), findContent(older)),
  ]
  return [mine, theirs].every((own) => findNumbers(own).length > 0 && findNumbers(own).length < own.length)
}

/**
 * Whether a prompt is about a counterpart of what a statement is about: it names production where the statement says staging,
 * or v2 where the statement says v1, and not both.
 */
export function namesCounterpart(prompt: string, statement: string): boolean {
  if (haveDifferentLabels(prompt, statement)) return true
  const [asked, said] = [splitWords(prompt), splitWords(statement)]
  return COUNTERPARTS.some((group) => {
    const [mine, theirs] = [asked, said].map((words) => words.filter((word) => group.has(word)))
    return (
      mine !== undefined &&
      theirs !== undefined &&
      mine.length > 0 &&
      theirs.length > 0 &&
      without(theirs, mine).length === theirs.length
    )
  })
}

const NUMBERED = /\b([a-z][a-z-]{2,})[\s.#:-]*(\d+(?:\.\d+)*)\b/gi

function findNumbered(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, word = '', number = ''] of text.toLowerCase().matchAll(NUMBERED))
    found.set(word, (found.get(word) ?? new Set<string>()).add(number))
  return found
}

/** Whether a prompt names "port 8082" where the statement has another port, and one of the others has that one. */
export function namesNumberOfAnother(prompt: string, statement: string, others: readonly string[]): boolean {
  const said = findNumbered(statement)
  return [...findNumbered(prompt)].some(([word, numbers]) => {
    const isAnother = said.has(word) && ![...numbers].some((number) => said.get(word)?.has(number))
    return (
      isAnother && others.some((other) => [...numbers].some((number) => findNumbered(other).get(word)?.has(number)))
    )
  })
}

export function compareStatements(older: string, newer: string): StatementRelation {
  const [before, after] = [splitWords(older), splitWords(newer)]
  const isMarked = newer.search(MARKERS) >= 0
  if (!isMarked && (haveDifferentLabels(older, newer) || areSiblings(before, after))) return 'sibling'
  if (isSameStatement(before, after)) return 'same'
  return isChangedValue(before, newer) ? 'changed' : 'other'
}
