import type { MemoryConfig } from '../../kernel/config.ts'
import { type Memory, type MemoryHit, TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { extractQueryTerms, extractTerms } from '../../kernel/text/terms.ts'

/** The fixed part of the threshold; `bench/prompt-bar` varies it. `memory.minCoverage` and `memory.maxPerPrompt` are the user's. */
export interface ThresholdRules {
  /** Terms that occur in every task. They count for nothing. */
  readonly common: ReadonlySet<string>
  /** Shorter terms count only when they are written as a name. */
  readonly minTermChars: number
  /** Keywords that a prompt and a memory must share. */
  readonly minShared: number
  /** A prompt with more keywords than this is long: the memory must be covered instead of the prompt. */
  readonly shortPromptTerms: number
  /** Minimum importance of a memory for a prompt of common words only, such as "run the tests". */
  readonly commonWordImportance: number
  /** Share of the shorter memory's keywords that two memories on the same subject have in common; above 1 turns the rule off. */
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

/** docs/recall.md has the measurement of each rule. */
export const THRESHOLD_RULES: ThresholdRules = {
  common: new Set(COMMON_WORDS.split(' ').flatMap((word) => extractTerms(word))),
  minTermChars: 3,
  minShared: 2,
  shortPromptTerms: 8,
  commonWordImportance: 7,
  sameSubject: 0.6,
}

/** Why a memory that shares a term with a prompt was or was not injected. */
export const PROMPT_OUTCOMES = [
  'shown',
  'superseded',
  'not-for-prompts',
  'below-bar',
  /** No longer produced; a daemon of an earlier version may still send it. */
  'another-thing',
  'older-on-the-subject',
  'already-shown',
  'over-the-limit',
] as const
export type PromptOutcome = (typeof PROMPT_OUTCOMES)[number]

export interface PromptVerdict {
  readonly memory: Memory
  readonly outcome: PromptOutcome
  /** For people, with the measured value and the threshold. */
  readonly reason: string
  /** Keyword overlap of prompt and memory, 0 to 1. */
  readonly share: number
}

export interface PromptThreshold extends Pick<MemoryConfig, 'minCoverage' | 'maxPerPrompt'> {
  /** Ids of memories that were injected into this session before. */
  readonly shown: ReadonlySet<string>
  /** For benchmarks; default: `THRESHOLD_RULES`. */
  readonly rules?: ThresholdRules
}

const FEW_TERMS = 3
const SAME_SUBJECT_OF_FEW = 0.5

const SHORT_NAME = /\b(?:[A-Z]{2}|[A-Za-z]?\d[A-Za-z\d]?)\b/g

/** Terms of two characters count only when they are written as a name: EU, v2, 18. */
function findKeywords(text: string, { minTermChars }: ThresholdRules): readonly string[] {
  const named = new Set(Array.from(text.matchAll(SHORT_NAME), ([name]) => name.toLowerCase()))
  return extractQueryTerms(text).filter((term) => term.length >= minTermChars || (term.length > 1 && named.has(term)))
}

interface PromptKeywords {
  /** Without common words, unless the prompt has no others. */
  readonly terms: readonly string[]
  readonly isLong: boolean
  readonly isOnlyCommon: boolean
}

function readKeywords(prompt: string, rules: ThresholdRules): PromptKeywords {
  const keywords = findKeywords(prompt, rules)
  const subjects = dropCommon(keywords, rules)
  const isOnlyCommon = subjects.length === 0
  return {
    terms: isOnlyCommon ? keywords : subjects,
    isLong: !isOnlyCommon && keywords.length > rules.shortPromptTerms,
    isOnlyCommon,
  }
}

interface Overlap {
  readonly matched: readonly string[]
  readonly share: number
  /** What `share` is a share of. */
  readonly of: 'prompt' | 'memory'
  readonly isEnough: boolean
}

/**
 * Injecting nothing is better than injecting noise. A memory must contain nearly every keyword of a short prompt: the one it
 * lacks ("production" where the memory says "staging") is what the prompt is about. A long prompt must nearly cover the memory.
 */
function measureOverlap(
  { terms, isLong, isOnlyCommon }: PromptKeywords,
  memory: Memory,
  { minCoverage, rules }: { readonly minCoverage: number; readonly rules: ThresholdRules },
): Overlap {
  const known = new Set(findKeywords(memory.content, rules))
  const matched = terms.filter((term) => known.has(term))
  const inMemory = isLong ? dropCommon(known, rules).length : Number.POSITIVE_INFINITY
  const outOf = Math.max(1, Math.min(terms.length, inMemory))
  const share = matched.length / outOf
  const isMeant = !isOnlyCommon || (share === 1 && memory.importance >= rules.commonWordImportance)
  return {
    matched,
    share,
    of: outOf === inMemory ? 'memory' : 'prompt',
    isEnough: share >= minCoverage && matched.length >= rules.minShared && isMeant,
  }
}

function dropCommon(terms: Iterable<string>, { common }: ThresholdRules): readonly string[] {
  return [...terms].filter((term) => !common.has(term))
}

function isSameSubject(one: Memory, other: Memory, rules: ThresholdRules): boolean {
  const [a, b] = [new Set(findKeywords(one.content, rules)), new Set(findKeywords(other.content, rules))]
  const [subjects, others] = [dropCommon(a, rules), dropCommon(b, rules)]
  const shared = subjects.filter((term) => b.has(term)).length
  const share = shared / Math.min(subjects.length, others.length)
  // One shared keyword is a subject only when both memories have few.
  const areFew = a.size <= FEW_TERMS && b.size <= FEW_TERMS
  return areFew ? share >= SAME_SUBJECT_OF_FEW : shared >= 2 && share >= rules.sameSubject
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const MAX_NAMED = 8

/** The words as written in the text, by term: a stem is not readable. */
function findWrittenWords(text: string, terms: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Set(terms)
  const written = new Map<string, string>()
  for (const [word] of text.matchAll(WORD)) {
    if (written.size === wanted.size) break
    for (const term of extractTerms(word)) if (wanted.has(term) && !written.has(term)) written.set(term, word)
  }
  return written
}

/** "has billing, database, port: 75 % of the prompt's keywords" */
function describeOverlap({ matched, share, of }: Overlap, written: ReadonlyMap<string, string>): string {
  const whose = of === 'prompt' ? "the prompt's" : 'its'
  const has = of === 'prompt' ? 'has' : 'the prompt has'
  if (matched.length === 0) return `${has} none of ${whose} keywords`
  const words = [...new Set(matched.map((term) => written.get(term) ?? term))]
  const more = words.length > MAX_NAMED ? ` and ${words.length - MAX_NAMED} more` : ''
  return `${has} ${words.slice(0, MAX_NAMED).join(', ')}${more}: ${formatPercent(share)} of ${whose} keywords`
}

function formatPercent(share: number): string {
  // Rounded down, so that a share below the threshold never looks equal to it; .57 * 100 is less than 57.
  return `${Math.floor(share * 100 + 1e-9)} %`
}

/** Copies of task checkpoints exist to be searched. Failed approaches are injected before the command they are about. */
function findExclusion({ tags, evidence }: Memory): string | undefined {
  if (tags.includes(TASK_CHECKPOINT_TAG)) return 'a copy of a task checkpoint'
  return evidence === undefined ? undefined : 'injected before a matching command instead'
}

/**
 * Which of the hits are injected before a prompt, and why the others are not; in the order of the hits. Memories on the same
 * subject may contradict each other, so only the newest of them is injected.
 */
export function judgeForPrompt(
  prompt: string,
  hits: readonly MemoryHit[],
  threshold: PromptThreshold,
): readonly PromptVerdict[] {
  const { rules = THRESHOLD_RULES, minCoverage, maxPerPrompt, shown } = threshold
  const keywords = readKeywords(prompt, rules)
  const written = findWrittenWords(prompt, extractQueryTerms(prompt))
  const current = hits
    .map(({ memory }) => memory)
    .filter((memory) => memory.supersededBy === undefined && findExclusion(memory) === undefined)
  let room = maxPerPrompt

  function explainTooLittle({ matched }: Overlap): string {
    if (matched.length < rules.minShared) return `but at least ${rules.minShared} must match`
    return `but they are common words, which need an importance of ${rules.commonWordImportance} or more`
  }

  function judge(memory: Memory, overlap: Overlap): readonly [PromptOutcome, string] {
    if (memory.supersededBy !== undefined) return ['superseded', `superseded by ${memory.supersededBy}`]
    const exclusion = findExclusion(memory)
    if (exclusion !== undefined) return ['not-for-prompts', exclusion]
    const reason = `${describeOverlap(overlap, written)}, the threshold is ${formatPercent(minCoverage)}`
    if (overlap.share < minCoverage) return ['below-bar', reason]
    if (!overlap.isEnough) return ['below-bar', `${reason}, ${explainTooLittle(overlap)}`]
    const newer = current.find((other) => isNewer(other, memory) && isSameSubject(memory, other, rules))
    if (newer !== undefined) return ['older-on-the-subject', `${newer.id} is newer and about the same subject`]
    if (shown.has(memory.id)) return ['already-shown', 'already injected into this session']
    if (room === 0) return ['over-the-limit', `at most ${maxPerPrompt} for one prompt`]
    room--
    return ['shown', reason]
  }

  return hits.map(({ memory }) => {
    const overlap = measureOverlap(keywords, memory, { minCoverage, rules })
    const [outcome, reason] = judge(memory, overlap)
    return { memory, outcome, reason, share: overlap.share }
  })
}

function isNewer(one: Memory, other: Memory): boolean {
  if (one.id === other.id) return false
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
