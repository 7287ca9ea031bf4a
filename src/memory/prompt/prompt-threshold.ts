import type { MemoryConfig } from '../../kernel/config.ts'
import { type Memory, type MemoryHit, TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { queryTermsOf, termsOf } from '../../kernel/text/terms.ts'
import { findRival, type Rival, type Spoken, spokenOf } from '../recall/conflicting-term.ts'

/**
 * The rules of the bar before a prompt, as `bench/prompt-bar` varies them. `memory.minCoverage` and `memory.maxPerPrompt`
 * are not among them, because people may set those.
 */
export interface BarRules {
  /** What every task and every remark is about. These count for nothing: they tell no subject from another. */
  readonly common: ReadonlySet<string>
  /** Shorter words are no subject, unless they are written as a name. */
  readonly minTermChars: number
  /** How many words of substance a prompt and a memory must share. */
  readonly minShared: number
  /** Past so many words of substance and others, a prompt is about many things, and no memory covers it. */
  readonly shortPromptTerms: number
  /** From this importance on, a memory speaks up for "run the tests". */
  readonly speaksForCommonWords: number
  /** Whether a memory about another thing of the same sort stays silent. */
  readonly rivals: boolean
  /** How much of the shorter of two memories the other must have to be about the same thing; above 1, nothing is. */
  readonly sameSubject: number
}

const COMMON_WORDS =
  'add added already always app apply back bad before below better both branch bug build call case change check class clean code command ' +
  'comment commit common correct create current default delete different done each error every everything exist expect fail file find first ' +
  'fix follow found function git good handle help here hmm implement important improve instead issue keep know last later let line list look ' +
  'main make many maybe method missing module more move much must need never new next number ok okay old output over own part point possible ' +
  'pr problem project properly pull push put question read really refactor remember remove rename replace repo repository result return right ' +
  'run script see set setup show something start still stop sure task tell test thing think time too true try two type under understand ' +
  'update used user using value version wait want way well without work write wrong yeah year yes yet'

/** Measured, rule by rule: docs/recall.md. */
export const BAR_RULES: BarRules = {
  common: new Set(COMMON_WORDS.split(' ').flatMap((word) => termsOf(word))),
  minTermChars: 3,
  minShared: 2,
  shortPromptTerms: 8,
  speaksForCommonWords: 7,
  rivals: true,
  sameSubject: 0.6,
}

/** What became of a memory that shares a word with a prompt. */
export const PROMPT_OUTCOMES = [
  'shown',
  'superseded',
  'not-for-prompts',
  'below-bar',
  'another-thing',
  'older-on-the-subject',
  'already-shown',
  'over-the-limit',
] as const
export type PromptOutcome = (typeof PROMPT_OUTCOMES)[number]

export interface PromptVerdict {
  readonly memory: Memory
  readonly outcome: PromptOutcome
  /** In words, with what it was measured against. */
  readonly reason: string
  /** How much of the prompt it covers, or the prompt of it, 0 to 1. */
  readonly share: number
}

export interface PromptBar extends Pick<MemoryConfig, 'minCoverage' | 'maxPerPrompt'> {
  /** Ids that this session was told already. */
  readonly shown: ReadonlySet<string>
  /** Other numbers than the tree's, to measure them. */
  readonly rules?: BarRules
}

const FEW_TERMS = 3
const SAME_SUBJECT_OF_FEW = 0.5

const SHORT_NAME = /\b(?:[A-Z]{2}|[A-Za-z]?\d[A-Za-z\d]?)\b/g

/** Of two characters only what is written as a name: EU, v2, 18. */
function tellingTerms(text: string, { minTermChars }: BarRules): readonly string[] {
  const named = new Set(Array.from(text.matchAll(SHORT_NAME), ([name]) => name.toLowerCase()))
  return queryTermsOf(text).filter((term) => term.length >= minTermChars || (term.length > 1 && named.has(term)))
}

/** A prompt as it is spoken, and its telling terms: those of substance, unless it has none. */
interface Asked {
  readonly spoken: Spoken
  readonly terms: readonly string[]
  readonly isLong: boolean
  readonly isOnlyCommon: boolean
}

function askedOf(prompt: string, rules: BarRules): Asked {
  const telling = tellingTerms(prompt, rules)
  const subjects = subjectsOf(telling, rules)
  const isOnlyCommon = subjects.length === 0
  return {
    spoken: spokenOf(prompt),
    terms: isOnlyCommon ? telling : subjects,
    isLong: !isOnlyCommon && telling.length > rules.shortPromptTerms,
    isOnlyCommon,
  }
}

interface Measured {
  readonly matched: readonly string[]
  readonly share: number
  /** What they are a share of. */
  readonly of: 'prompt' | 'memory'
  readonly clears: boolean
  /** A word of the prompt for which the memory has another of its sort. */
  readonly rival?: Rival
}

/**
 * Silence is better than noise. Of a short prompt nearly every word of substance must be in the memory: one that is not
 * ("production" where the memory says "staging") is what the prompt is about. A long prompt must nearly cover the memory.
 */
function measure(
  { spoken, terms, isLong, isOnlyCommon }: Asked,
  memory: Memory,
  { minCoverage, rules }: { readonly minCoverage: number; readonly rules: BarRules },
): Measured {
  const known = new Set(tellingTerms(memory.content, rules))
  const matched = terms.filter((term) => known.has(term))
  const inMemory = isLong ? subjectsOf(known, rules).length : Number.POSITIVE_INFINITY
  const outOf = Math.max(1, Math.min(terms.length, inMemory))
  const share = matched.length / outOf
  const measured = { matched, share, of: outOf === inMemory ? 'memory' : 'prompt' } as const
  if (share < minCoverage) return { ...measured, clears: false }
  const isMeant = !isOnlyCommon || (share === 1 && memory.importance >= rules.speaksForCommonWords)
  const rival = rules.rivals ? findRival(spoken, spokenOf(memory.content)) : undefined
  return { ...measured, clears: matched.length >= rules.minShared && isMeant && rival === undefined, rival }
}

function subjectsOf(terms: Iterable<string>, { common }: BarRules): readonly string[] {
  return [...terms].filter((term) => !common.has(term))
}

function isSameSubject(one: Memory, other: Memory, rules: BarRules): boolean {
  const [a, b] = [new Set(tellingTerms(one.content, rules)), new Set(tellingTerms(other.content, rules))]
  const [subjects, others] = [subjectsOf(a, rules), subjectsOf(b, rules)]
  const shared = subjects.filter((term) => b.has(term)).length
  const share = shared / Math.min(subjects.length, others.length)
  // One word in common is a subject only of remarks that have few others.
  const areFew = a.size <= FEW_TERMS && b.size <= FEW_TERMS
  return areFew ? share >= SAME_SUBJECT_OF_FEW : shared >= 2 && share >= rules.sameSubject
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const MAX_NAMED = 8

/** The words of a text, as they are written there, that terms come from: a stem is no word to read. */
function writtenIn(text: string, terms: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Set(terms)
  const written = new Map<string, string>()
  for (const [word] of text.matchAll(WORD)) {
    if (written.size === wanted.size) break
    for (const term of termsOf(word)) if (wanted.has(term) && !written.has(term)) written.set(term, word)
  }
  return written
}

/** "has billing, database, port: 75 % of the prompt's telling words" */
function inWords({ matched, share, of }: Measured, written: ReadonlyMap<string, string>): string {
  const whose = of === 'prompt' ? "the prompt's" : 'its'
  const has = of === 'prompt' ? 'has' : 'the prompt has'
  if (matched.length === 0) return `${has} none of ${whose} telling words`
  const words = [...new Set(matched.map((term) => written.get(term) ?? term))]
  const more = words.length > MAX_NAMED ? ` and ${words.length - MAX_NAMED} more` : ''
  return `${has} ${words.slice(0, MAX_NAMED).join(', ')}${more}: ${percent(share)} of ${whose} telling words`
}

function percent(share: number): string {
  // Not rounded up, because what is below the bar must not look as if it were not; .57 * 100 is not 57.
  return `${Math.floor(share * 100 + 1e-9)} %`
}

/**
 * Mirrors of a task's checkpoints are there to be searched: nobody said that they are worth telling. What was seen to
 * fail has its own moment: before the command that it is about.
 */
function notForPrompts({ tags, evidence }: Memory): string | undefined {
  if (tags.includes(TASK_CHECKPOINT_TAG)) return 'a mirror of a task checkpoint'
  return evidence === undefined ? undefined : 'told before a matching command instead'
}

/**
 * What of the found is put before a prompt, and why the rest is not; in their order. Two that are about the same thing may
 * say the opposite of each other, and nobody said which holds: only the newest of them speaks.
 */
export function judgeForPrompt(prompt: string, hits: readonly MemoryHit[], bar: PromptBar): readonly PromptVerdict[] {
  const { rules = BAR_RULES, minCoverage } = bar
  const asked = askedOf(prompt, rules)
  const written = writtenIn(prompt, asked.spoken.terms)
  // What is never told here takes nobody's place either.
  const current = hits
    .map(({ memory }) => memory)
    .filter((memory) => memory.supersededBy === undefined && notForPrompts(memory) === undefined)
  let room = bar.maxPerPrompt

  function ofAnother(memory: Memory, { asked: askedFor, said }: Rival): string {
    const named = writtenIn(memory.content, [said]).get(said) ?? said
    return `speaks of "${named}" where the prompt says "${written.get(askedFor) ?? askedFor}"`
  }

  function tooLittle({ matched }: Measured): string {
    if (matched.length < rules.minShared) return `but at least ${rules.minShared} must meet`
    return `but they are common words, for which only an importance of ${rules.speaksForCommonWords} or more speaks up`
  }

  function outcomeOf(memory: Memory, measured: Measured): readonly [PromptOutcome, string] {
    if (memory.supersededBy !== undefined) return ['superseded', `superseded by ${memory.supersededBy}`]
    const elsewhere = notForPrompts(memory)
    if (elsewhere !== undefined) return ['not-for-prompts', elsewhere]
    const reason = `${inWords(measured, written)}, the bar is ${percent(minCoverage)}`
    if (measured.share < minCoverage) return ['below-bar', reason]
    if (measured.rival !== undefined) return ['another-thing', `${ofAnother(memory, measured.rival)}; ${reason}`]
    if (!measured.clears) return ['below-bar', `${reason}, ${tooLittle(measured)}`]
    const newer = current.find((other) => isNewer(other, memory) && isSameSubject(memory, other, rules))
    if (newer !== undefined) return ['older-on-the-subject', `${newer.id} is newer and about the same thing`]
    if (bar.shown.has(memory.id)) return ['already-shown', 'this session was told it before']
    if (room === 0) return ['over-the-limit', `at most ${bar.maxPerPrompt} for one prompt`]
    room--
    return ['shown', reason]
  }

  return hits.map(({ memory }) => {
    const measured = measure(asked, memory, { minCoverage, rules })
    const [outcome, reason] = outcomeOf(memory, measured)
    return { memory, outcome, reason, share: measured.share }
  })
}

function isNewer(one: Memory, other: Memory): boolean {
  if (one.id === other.id) return false
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
