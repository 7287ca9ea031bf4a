import type { MemoryConfig } from '../../kernel/config.ts'
import { type Memory, type MemoryHit, STATED_SOURCES, TASK_SOURCE, TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { extractQueryTerms, extractTerms, WORD } from '../../kernel/text/terms.ts'
import { compareStatements, namesCounterpart, namesNumberOfAnother } from '../statement/compare-statements.ts'
import { COMMON_TERMS, GENERIC_TERMS } from './weak-words.ts'

/** The fixed part of the threshold; `bench/prompt-bar` varies it. `memory.minCoverage` and `memory.maxPerPrompt` are the user's. */
export interface ThresholdRules {
  /** Terms that occur in every task. They count for nothing. */
  readonly common: ReadonlySet<string>
  /** Terms that count towards the overlap, but not towards `minShared`. */
  readonly generic: ReadonlySet<string>
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
  /** Sources of memories for which naming their topic is enough: they were stated in order to be remembered. */
  readonly statedSources: ReadonlySet<string>
  /** Such a memory has at most so many keywords, */
  readonly statedTerms: number
  /** and what it shares makes up at least this part of the prompt's keywords, common ones included. */
  readonly statedShare: number
}

/** docs/recall.md has the measurement of each rule. */
export const THRESHOLD_RULES: ThresholdRules = {
  common: COMMON_TERMS,
  generic: GENERIC_TERMS,
  minTermChars: 3,
  minShared: 2,
  shortPromptTerms: 8,
  commonWordImportance: 7,
  sameSubject: 0.6,
  statedSources: STATED_SOURCES,
  statedTerms: 8,
  statedShare: 0.2,
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
  /** With the common ones. */
  readonly count: number
  readonly isLong: boolean
  readonly isOnlyCommon: boolean
}

function readKeywords(prompt: string, rules: ThresholdRules): PromptKeywords {
  const keywords = findKeywords(prompt, rules)
  const subjects = dropCommon(keywords, rules)
  const isOnlyCommon = subjects.length === 0
  return {
    terms: isOnlyCommon ? keywords : subjects,
    count: keywords.length,
    isLong: !isOnlyCommon && keywords.length > rules.shortPromptTerms,
    isOnlyCommon,
  }
}

interface Overlap {
  readonly matched: readonly string[]
  readonly share: number
  /** What `share` is a share of; `topic` if the prompt names the memory's topic, which is enough. */
  readonly of: 'prompt' | 'memory' | 'topic'
  readonly isEnough: boolean
}

/**
 * Injecting nothing is better than injecting noise. A memory must contain nearly every keyword of a short prompt: the one it
 * lacks ("production" where the memory says "staging") is what the prompt is about. A long prompt must nearly cover the memory.
 * For a short memory that was stated to be remembered, it is enough that a short prompt names its topic.
 */
function measureOverlap(
  { terms, count, isLong, isOnlyCommon }: PromptKeywords,
  memory: Memory,
  { minCoverage, rules }: { readonly minCoverage: number; readonly rules: ThresholdRules },
): Overlap {
  const known = new Set(findKeywords(memory.content, rules))
  const matched = terms.filter((term) => known.has(term))
  const inMemory = isLong ? dropCommon(known, rules).length : Number.POSITIVE_INFINITY
  const outOf = Math.max(1, Math.min(terms.length, inMemory))
  const share = matched.length / outOf
  if (!isLong && matched.length / count >= rules.statedShare && rules.statedSources.has(memory.source)) {
    const topics = findTopics(memory.content, rules)
    if (matched.some((term) => topics.has(term))) return { matched, share: 1, of: 'topic', isEnough: true }
  }
  const telling = isOnlyCommon ? matched : matched.filter((term) => !rules.generic.has(term))
  const isMeant = !isOnlyCommon || (share === 1 && memory.importance >= rules.commonWordImportance)
  return {
    matched,
    share,
    of: outOf === inMemory ? 'memory' : 'prompt',
    isEnough: share >= minCoverage && telling.length >= rules.minShared && isMeant,
  }
}

const CLAUSE_END = /[.;:!?,\n]+(?:\s|$)|\b(?:because|since|so that|due to)\b/i

/** The first specific keyword of each clause of a short memory: what the clause is about is usually named first. */
function findTopics(content: string, rules: ThresholdRules): ReadonlySet<string> {
  const clauses = content.split(CLAUSE_END).map((clause) => dropCommon(findKeywords(clause, rules), rules))
  if (clauses.flat().length > rules.statedTerms) return new Set()
  const isTopic = (term: string) => !rules.generic.has(term) && !/^\d+$/.test(term)
  return new Set(clauses.flatMap((clause) => clause.find(isTopic) ?? []))
}

function dropCommon(terms: Iterable<string>, { common }: ThresholdRules): readonly string[] {
  return [...terms].filter((term) => !common.has(term))
}

function isSameSubject(older: Memory, newer: Memory, rules: ThresholdRules): boolean {
  const relation = compareStatements(older.content, newer.content)
  return (
    relation === 'same' || relation === 'changed' || (relation === 'other' && haveSameKeywords(older, newer, rules))
  )
}

function haveSameKeywords(one: Memory, other: Memory, rules: ThresholdRules): boolean {
  const [a, b] = [new Set(findKeywords(one.content, rules)), new Set(findKeywords(other.content, rules))]
  const [subjects, others] = [dropCommon(a, rules), dropCommon(b, rules)]
  const shared = subjects.filter((term) => b.has(term)).length
  const share = shared / Math.min(subjects.length, others.length)
  // One shared keyword is a subject only when both memories have few.
  const areFew = a.size <= FEW_TERMS && b.size <= FEW_TERMS
  return areFew ? share >= SAME_SUBJECT_OF_FEW : shared >= 2 && share >= rules.sameSubject
}

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

function listWords(terms: readonly string[], written: ReadonlyMap<string, string>): string {
  const words = [...new Set(terms.map((term) => written.get(term) ?? term))]
  const more = words.length > MAX_NAMED ? ` and ${words.length - MAX_NAMED} more` : ''
  return `${words.slice(0, MAX_NAMED).join(', ')}${more}`
}

function formatPercent(share: number): string {
  // Rounded down, so that a share below the threshold never looks equal to it; .57 * 100 is less than 57.
  return `${Math.floor(share * 100 + 1e-9)} %`
}

/** Copies of task checkpoints exist to be searched. Failed approaches are injected before the command they are about. */
export function findExclusion({ tags, source, evidence }: Memory): string | undefined {
  if (source === TASK_SOURCE || tags.includes(TASK_CHECKPOINT_TAG))
    return 'a record of a task, which only searches find'
  return evidence === undefined ? undefined : 'shown before the command that failed, not before prompts'
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
  const contents = current.map(({ content }) => content)
  let room = maxPerPrompt

  function describeMatch({ matched, share, of }: Overlap): string {
    const words = listWords(matched, written)
    if (of === 'topic') return `the prompt names its topic: ${words}`
    const whose = of === 'prompt' ? "the prompt's keywords" : "the memory's keywords"
    if (matched.length === 0) return `matches none of ${whose} (minimum ${formatPercent(minCoverage)})`
    return `matches ${formatPercent(share)} of ${whose} (minimum ${formatPercent(minCoverage)}): ${words}`
  }

  function describeShortfall(overlap: Overlap): string {
    const match = describeMatch(overlap)
    if (overlap.share < minCoverage) return match
    if (keywords.isOnlyCommon && overlap.matched.length >= rules.minShared)
      return `${match}; common words alone need importance ${rules.commonWordImportance} or more`
    return `${match}; at least ${rules.minShared} specific keywords must match`
  }

  function judge(memory: Memory, overlap: Overlap): readonly [PromptOutcome, string] {
    if (memory.supersededBy !== undefined) return ['superseded', `replaced by ${memory.supersededBy}`]
    const exclusion = findExclusion(memory)
    if (exclusion !== undefined) return ['not-for-prompts', exclusion]
    if (!overlap.isEnough) return ['below-bar', describeShortfall(overlap)]
    if (namesCounterpart(prompt, memory.content))
      return ['below-bar', 'the prompt names a counterpart of what it is about']
    if (namesNumberOfAnother(prompt, memory.content, contents))
      return ['below-bar', 'the prompt names a number that another memory is about']
    const newer = current.find((other) => isNewer(other, memory) && isSameSubject(memory, other, rules))
    if (newer !== undefined) return ['older-on-the-subject', `${newer.id} is newer and about the same subject`]
    if (shown.has(memory.id)) return ['already-shown', 'already in the context of this session']
    if (room === 0) return ['over-the-limit', `at most ${maxPerPrompt} for one prompt`]
    room--
    return ['shown', describeMatch(overlap)]
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
