import type { CodeFacts, FunctionFacts } from '../../kernel/code-facts.ts'
import { type ItemClaim, subjectOf } from './item-claim.ts'
import { countShared, nameWords, toPlain } from './item-words.ts'

/** How sure it is that a function is what an item is about. */
export interface MatchedFunction {
  readonly facts: FunctionFacts
  /** `named` in the item, `likely` by its words, or only `near`: in the same file or class, or called by the others. */
  readonly by: 'named' | 'likely' | 'near'
  /** 0 to 1: how well words of item and name agree. */
  readonly likeness: number
  /** Another function of its file uses it. */
  readonly isCalled?: boolean
}

export interface FileMatch {
  readonly functions: readonly MatchedFunction[]
  /** The item is about the file as a whole. */
  readonly isWhole: boolean
  /** Only one word agrees: a finding in it must be plain. */
  readonly isWeak?: boolean
}

export const LIKELY = 0.4
const LIKELY_PARTLY = 0.5
const NEAR_BEST = 0.75
/** Bonus for functions of a file with only a few. */
const ALONE = 0.5
const FEW = 2

/** Such a function is named after the request, and its file after what it does. */
const HTTP_METHOD = /^(?:GET|POST|PUT|PATCH|DELETE)$/

/** A file that an item is about, with one or two functions: the item is about these. */
function chooseAll(functions: readonly FunctionFacts[], likeness: number): readonly MatchedFunction[] {
  const isFew = functions.length <= FEW
  return functions.map((facts) => ({ facts, by: isFew ? 'likely' : 'near', likeness: isFew ? ALONE : likeness }))
}

/** Agreement of an item with a name: the harmonic mean of how much of each is in the other. */
export function compareWords(
  item: ReadonlySet<string>,
  name: ReadonlySet<string>,
  around: ReadonlySet<string>,
): number {
  const shared = countMentioned(name, item)
  if (shared === 0 || item.size === 0) return 0
  const precision = shared / name.size
  const recall = Math.min(1, (shared + 0.6 * countShared(difference(around, name), item)) / item.size)
  const likeness = (2 * precision * recall) / (precision + recall)
  // A name that is in the item only by half must agree with more of it.
  return precision === 1 || likeness >= LIKELY_PARTLY ? likeness : 0
}

/** `isleap` counts as a mention of leap: names in lower case are not split. */
function countMentioned(name: ReadonlySet<string>, item: ReadonlySet<string>): number {
  let shared = 0
  for (const word of name) if (isWordIn(word, item)) shared += 1
  return shared
}

function isWordIn(word: string, item: ReadonlySet<string>): boolean {
  return item.has(word) || (word.length >= 6 && (item.has(word.slice(1)) || item.has(word.slice(2))))
}

/** Whether any of the words is in the item. */
export function isMentioned(words: ReadonlySet<string>, item: ReadonlySet<string>): boolean {
  for (const word of words) if (isWordIn(word, item)) return true
  return false
}

/** Words of the two folders that a file is in. */
export function folderWords(path: string): ReadonlySet<string> {
  return new Set(
    path
      .split('/')
      .slice(0, -1)
      .slice(-2)
      .flatMap((folder) => [...nameWords(folder)]),
  )
}

function difference(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((word) => !b.has(word)))
}

const containerWords = (container: string | undefined): ReadonlySet<string> =>
  container === undefined ? new Set<string>() : nameWords(container)

function isNamed(facts: FunctionFacts, names: readonly string[]): boolean {
  return names.some((name) => name === facts.name || toPlain(name) === toPlain(facts.name))
}

/** Functions that the chosen ones call, in the same file, two calls deep. */
function addCalled(chosen: readonly MatchedFunction[], all: readonly FunctionFacts[]): readonly MatchedFunction[] {
  const found = [...chosen]
  for (let depth = 0, from = chosen; depth < 2; depth += 1) {
    const used = new Set(from.flatMap(({ facts }) => facts.uses))
    const known = new Set(found.map(({ facts }) => facts))
    const added = all
      .filter((facts) => used.has(facts.name) && !known.has(facts))
      .map((facts): MatchedFunction => ({ facts, by: 'near', likeness: 0 }))
    found.push(...added)
    from = added
  }
  return found
}

interface MatchOptions {
  readonly isGiven: boolean
  readonly isWeak?: boolean
  /** Of a weak match: only functions that share a word with the item. */
  readonly hasToBeNamed?: boolean
}

/** What of a file an item is about. `isGiven`: the item names the file. */
export function matchFile(...given: Parameters<typeof findMatch>): FileMatch | undefined {
  const match = findMatch(...given)
  if (match === undefined) return undefined
  const [, , { functions }] = given
  const used = new Set(functions.flatMap(({ name, uses }) => uses.filter((one) => one !== name)))
  return { ...match, functions: match.functions.map((one) => ({ ...one, isCalled: used.has(one.facts.name) })) }
}

function findMatch(
  claim: ItemClaim,
  path: string,
  code: CodeFacts,
  { isGiven, isWeak, hasToBeNamed = false }: MatchOptions,
): FileMatch | undefined {
  const { functions } = code
  const named = functions.filter((facts) => isNamed(facts, claim.names))
  if (named.length > 0)
    return {
      functions: addCalled(
        named.map((facts) => ({ facts, by: 'named', likeness: 1 })),
        functions,
      ),
      isWhole: false,
    }
  const owned = functions.filter(({ container }) => container !== undefined && claim.names.includes(container))
  if (owned.length > 0) return { functions: owned.map((facts) => ({ facts, by: 'near', likeness: 0 })), isWhole: true }
  const subject = nameWords(subjectOf(path))
  const scored = functions
    .map((facts) => ({
      facts,
      likeness: compareWords(
        claim.words,
        HTTP_METHOD.test(facts.name) ? subject : nameWords(facts.name),
        new Set([...containerWords(facts.container), ...subject, ...folderWords(path)]),
      ),
    }))
    .toSorted((a, b) => b.likeness - a.likeness)
  const best = scored[0]?.likeness ?? 0
  if (best >= LIKELY) {
    const likely = scored
      .filter(({ likeness }) => likeness >= Math.max(LIKELY, best * NEAR_BEST))
      .map(({ facts, likeness }): MatchedFunction => ({ facts, by: 'likely', likeness }))
    return { functions: addCalled(likely, functions), isWhole: false }
  }
  const classes = [...new Set(functions.flatMap(({ container }) => container ?? []))]
  const owner = classes.find((name) => compareWords(claim.words, nameWords(name), subject) >= LIKELY)
  if (owner !== undefined)
    return {
      functions: chooseAll(
        functions.filter(({ container }) => container === owner),
        0,
      ),
      isWhole: true,
    }
  const isFile = isGiven || compareWords(claim.words, subject, new Set()) >= LIKELY
  if (isFile) return { functions: chooseAll(functions, best), isWhole: true }
  if (isWeak !== true) return undefined
  const alike = functions.filter(
    ({ name, container }) =>
      isMentioned(nameWords(name), claim.words) || isMentioned(containerWords(container), claim.words),
  )
  const chosen = alike.length > 0 || hasToBeNamed ? alike : functions.length <= FEW ? functions : []
  const weak = chosen.map((facts): MatchedFunction => ({ facts, by: 'likely', likeness: ALONE }))
  return { functions: weak, isWhole: false, isWeak: true }
}
