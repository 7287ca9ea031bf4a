import type { MemoryConfig } from '../config.ts'
import type { Memory, MemoryHit } from '../memory.ts'
import { TASK_CHECKPOINT_TAG } from '../task/memory-adapter.ts'
import { queryTermsOf, termsOf } from '../terms.ts'
import { findRival, type Rival, type Spoken, spokenOf } from './rival.ts'

/** What became of a memory that shares a word with a prompt. */
export const PROMPT_OUTCOMES = [
  'shown',
  'superseded',
  'not-for-prompts',
  'below-bar',
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
}

/** What every task and every remark is about: alone, these tell no subject from another. */
const COMMON = new Set(
  (
    'add always app apply bad before below better bug build call case change check class clean code command common correct create current ' +
    'default delete different done each error every everything expect fail file find first fix follow found function good handle help here ' +
    'implement important improve instead issue keep know last later line list look make many maybe method missing module more move much must need ' +
    'never new next number old output over own part point possible problem project properly put question read really refactor remember remove rename ' +
    'replace result return right run script see set setup show something start still stop sure task tell test thing think time true try ' +
    'two type under understand update used user using value version wait want way well without work write wrong year yes yet'
  )
    .split(' ')
    .flatMap((word) => termsOf(word)),
)
const COMMON_WEIGHT = 0.4
/** Two letters are no subject by themselves. */
const MIN_TERM_CHARS = 3
/** Past this, a prompt is about many things, and no memory covers it. */
const SHORT_PROMPT_TERMS = 8
/** A subject of its own and a word beside it. */
const MIN_MATCHED = 1 + COMMON_WEIGHT
/** Of a long prompt more has to meet, because more meets by chance. */
const MIN_MATCHED_LONG = 2 + COMMON_WEIGHT
/** What nobody marked as important does not speak up for "run the tests". */
const SPEAKS_FOR_COMMON_WORDS = 7
const SAME_SUBJECT = 0.5
const FEW_TERMS = 3

function weightOf(term: string): number {
  return COMMON.has(term) ? COMMON_WEIGHT : 1
}

function sumOf(terms: Iterable<string>): number {
  let sum = 0
  for (const term of terms) sum += weightOf(term)
  return sum
}

const SHORT_NAME = /\b(?:[A-Z]{2}|[A-Za-z]?\d[A-Za-z\d]?)\b/g

/** Of two characters only what is written as a name: EU, v2, 18. */
function tellingTerms(text: string): readonly string[] {
  const named = new Set(Array.from(text.matchAll(SHORT_NAME), ([name]) => name.toLowerCase()))
  return queryTermsOf(text).filter((term) => term.length >= MIN_TERM_CHARS || (term.length > 1 && named.has(term)))
}

/** A prompt as it is spoken, and by its telling terms. */
interface Asked {
  readonly spoken: Spoken
  readonly asked: readonly string[]
}

interface Measured {
  readonly matched: readonly string[]
  readonly share: number
  readonly clears: boolean
  /** A word of the prompt for which the memory has another of its sort. */
  readonly rival?: Rival
}

/**
 * Silence is better than noise. Of a short prompt nearly every word of substance must be in the memory: one that is not
 * ("production" where the memory says "staging") is what the prompt is about. A long prompt must nearly cover the memory.
 */
function measure({ spoken, asked }: Asked, memory: Memory, minCoverage: number): Measured {
  const known = new Set(tellingTerms(memory.content))
  const matched = asked.filter((term) => known.has(term))
  const weight = sumOf(matched)
  const isLong = asked.length > SHORT_PROMPT_TERMS
  // A common word that the memory lacks says nothing against it.
  const ofPrompt = weight / Math.max(COMMON_WEIGHT, sumOf(asked.filter((term) => known.has(term) || !COMMON.has(term))))
  const share = isLong ? Math.max(ofPrompt, weight / Math.max(COMMON_WEIGHT, sumOf(known))) : ofPrompt
  const isOnlyCommon = asked.every((term) => COMMON.has(term))
  const isSubstantial = isOnlyCommon
    ? matched.length >= 2 && matched.length === asked.length && memory.importance >= SPEAKS_FOR_COMMON_WORDS
    : matched.length >= 2 && weight >= (isLong ? MIN_MATCHED_LONG : MIN_MATCHED)
  const rival = findRival(spoken, spokenOf(memory.content))
  return { matched, share, clears: isSubstantial && share >= minCoverage && rival === undefined, rival }
}

function isSameSubject(one: Memory, other: Memory): boolean {
  const [a, b] = [new Set(tellingTerms(one.content)), new Set(tellingTerms(other.content))]
  const shared = [...a].filter((term) => b.has(term))
  const subjects = shared.filter((term) => !COMMON.has(term)).length
  // One word in common is a subject only of remarks that have few others.
  if (subjects < (a.size > FEW_TERMS || b.size > FEW_TERMS ? 2 : 1)) return false
  return sumOf(shared) / Math.max(COMMON_WEIGHT, Math.min(sumOf(a), sumOf(b))) >= SAME_SUBJECT
}

function wordsOf(matched: readonly string[]): string {
  return matched.length === 0 ? 'no telling word' : matched.slice(0, 8).join(', ')
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
  const question = { spoken: spokenOf(prompt), asked: tellingTerms(prompt) }
  // What is never told here takes nobody's place either.
  const current = hits
    .map(({ memory }) => memory)
    .filter((memory) => memory.supersededBy === undefined && notForPrompts(memory) === undefined)
  let room = bar.maxPerPrompt

  function outcomeOf(memory: Memory, { matched, share, clears, rival }: Measured): readonly [PromptOutcome, string] {
    if (memory.supersededBy !== undefined) return ['superseded', `superseded by ${memory.supersededBy}`]
    const elsewhere = notForPrompts(memory)
    if (elsewhere !== undefined) return ['not-for-prompts', elsewhere]
    const measured = `shares ${wordsOf(matched)} with the prompt: ${share.toFixed(2)} against a bar of ${bar.minCoverage.toFixed(2)}`
    if (share < bar.minCoverage) return ['below-bar', measured]
    if (rival !== undefined)
      return ['below-bar', `${measured}, but speaks of "${rival.said}" where the prompt says "${rival.asked}"`]
    if (!clears) return ['below-bar', `${measured}, and too few words of substance`]
    const newer = current.find((other) => isNewer(other, memory) && isSameSubject(memory, other))
    if (newer !== undefined) return ['older-on-the-subject', `${newer.id} is newer and about the same thing`]
    if (bar.shown.has(memory.id)) return ['already-shown', 'this session was told it before']
    if (room === 0) return ['over-the-limit', `at most ${bar.maxPerPrompt} for one prompt`]
    room--
    return ['shown', measured]
  }

  return hits.map(({ memory }) => {
    const measured = measure(question, memory, bar.minCoverage)
    const [outcome, reason] = outcomeOf(memory, measured)
    return { memory, outcome, reason, share: measured.share }
  })
}

function isNewer(one: Memory, other: Memory): boolean {
  if (one.id === other.id) return false
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
