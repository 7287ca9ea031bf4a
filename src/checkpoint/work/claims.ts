import type { Claim } from '../../kernel/checkpoint.ts'
import { renderFailure } from './fold-run.ts'
import { WEIGHTS } from './weights.ts'
import { type ClaimEntry, type ClaimTopic, type WorkState, LIMITS } from './state.ts'
import { clip, oneLine } from '../../kernel/text/text.ts'
import { findPaths } from '../../kernel/paths/paths.ts'

const MAX_TEXT = 20_000
const MAX_PATHS = 40
const CLAIM_CHARS = 140

/** Sentences about removed or future files claim nothing. */
const NOT_THERE_ON_PURPOSE =
  /\b(?:delet\w*|remov\w*|dropp\w*|renam\w*|mov(?:ed|ing)|replac\w*|gone|will|todo|next|plan\w*|should|need\w*|later|not yet|remaining|going to|missing|does(?:n't| not) exist)\b/i

const COMPLETE =
  /\b(?:fully|completely|100 ?%|all) (?:\w+ )?(?:implemented|complete|completed|done|working|functional|finished)\b|\b(?:production[- ]ready|ready to ship|ship[- ]it|ready for production|feature[- ]complete)\b|\bimplementation (?:is )?(?:complete|done|finished)\b|\beverything (?:is )?(?:works|done|implemented|complete)\b/i
const NOT_A_FACT = /\b(?:not|isn't|aren't|never|if|once|when|until|should|will|would|todo|before|n't)\b|\?$/i

/** What a summary asserts about the state of the work. */
export interface StatedFacts {
  /** About tests, build or lint. */
  readonly runs: readonly { readonly topic: 'tests' | 'build' | 'lint'; readonly text: string }[]
  /** That something is finished. */
  readonly complete: readonly string[]
  /** Files that are said to exist. */
  readonly paths: readonly string[]
}

function splitSentences(text: string): readonly string[] {
  return text
    .slice(0, MAX_TEXT)
    .split(/(?<=[.!?])\s|\n/)
    .filter((sentence) => sentence.trim() !== '')
}

export function findStatedFacts(summary: string): StatedFacts {
  const sentences = splitSentences(summary)
  const paths = new Set<string>()
  for (const sentence of sentences) {
    if (NOT_THERE_ON_PURPOSE.test(sentence)) continue
    for (const path of findPaths(sentence, MAX_PATHS)) paths.add(path)
  }
  return {
    runs: findClaims(summary, 0).map(({ topic, text }) => ({ topic, text })),
    complete: sentences
      .filter((sentence) => COMPLETE.test(sentence) && !NOT_A_FACT.test(sentence))
      .map((sentence) => clip(sentence.replace(/^[\s*#>-]+/, ''), CLAIM_CHARS)),
    paths: [...paths].slice(0, MAX_PATHS),
  }
}

const SAYS: readonly { readonly topic: ClaimTopic; readonly pattern: RegExp }[] = [
  {
    topic: 'tests',
    pattern:
      /\b(?:all|the|every|\d+)?\s?(?:unit |integration |e2e )?tests? (?:suite )?(?:are |is |all |now |still )*(?:pass|passes|passed|passing|green)\b/i,
  },
  {
    topic: 'build',
    pattern: /\bbuilds? (?:is |now |still )*(?:pass|passes|passed|succeeds|succeeded|green|clean|works)\b/i,
  },
  {
    topic: 'lint',
    pattern:
      /\b(?:lint|linter|typecheck|type check|types) (?:is |are |now |still )*(?:pass|passes|passed|clean|green)\b/i,
  },
]
/** A count of failures is not a claim of success. */
const NOT_ALL =
  /\b(?:except|only (?:a few|some|one|two|three|\d{1,6})|none of|no (?:unit |integration |e2e )?tests?|0 tests?|(\d{1,6}) (?:out )?of (?!\1\b)\d{1,6})\b|\b[1-9]\d{0,5} (?:of them |others? |tests? ){0,2}(?:are |is |still ){0,2}fail/i
/** Plans, conditions and questions are not claims. */
const NOT_A_CLAIM =
  /\b(?:if|once|when|until|after|should|will|would|make sure|ensure|verify|check|whether|need|let me|let's|don't|doesn't|not|so that|before|while|keep|keeps|keeping|todo|pending)\b|\?$|[⏳☐]|\[ \]/iu

/** What a statement asserts about tests, build or lint. */
export function findClaims(text: string, order: number): readonly ClaimEntry[] {
  const found: ClaimEntry[] = []
  for (const sentence of text.slice(0, 4_000).split(/(?<=[.!?])\s|\n/)) {
    if (sentence.length > 300 || NOT_A_CLAIM.test(sentence) || NOT_ALL.test(sentence)) continue
    for (const { topic, pattern } of SAYS) {
      if (pattern.test(sentence)) found.push({ topic, text: clip(sentence.replace(/^[\s*#>-]+/, ''), 120), order })
    }
  }
  return found
}

/** The newest claim per topic. */
export function withClaims(claims: readonly ClaimEntry[], added: readonly ClaimEntry[]): readonly ClaimEntry[] {
  const byTopic = new Map(claims.map((claim) => [claim.topic, claim]))
  for (const claim of added) byTopic.set(claim.topic, claim)
  return [...byTopic.values()].slice(-LIMITS.claims)
}

const PURPOSE_OF: Record<ClaimTopic, string> = { tests: 'test', build: 'build', lint: 'lint' }

/** As many of the last statements as a recovery has at most. */
function lastWords(statements: WorkState['statements']): readonly string[] {
  const readable: string[] = []
  let left: number = WEIGHTS.room.lastWordsChars
  for (const { text } of statements.toReversed()) {
    if (left <= 0) break
    readable.push(text)
    left -= text.length
  }
  return readable
}

/** Whether the next session may read the claim itself: in the note, or among the last words. */
function mayBeRead({ text }: ClaimEntry, { written, digest, statements }: WorkState): boolean {
  const start = text.replace(/…$/, '')
  const readable = [written?.summary, digest?.summary, ...lastWords(statements)]
  return readable.some((one) => one !== undefined && oneLine(one).includes(start))
}

/**
 * Claimed until a run after the last edit confirms it; contradicted if the newest run failed. A claim that was true when it was
 * made is only outdated: the failed run is reported by itself, unless the next session may read the claim.
 */
export function judgeClaims(state: WorkState): readonly Claim[] {
  return state.claims.map((claim) => {
    const base = { text: claim.text, lastOrder: claim.order }
    const run = state.commands
      .filter((command) => command.purpose === PURPOSE_OF[claim.topic])
      .toSorted((a, b) => b.lastOrder - a.lastOrder)[0]
    if (run === undefined) return { ...base, evidence: 'claimed' }
    const isOutdated = run.lastOrder > claim.order && state.lastEditOrder > claim.order
    if (!run.ok && isOutdated && !mayBeRead(claim, state)) return { ...base, evidence: 'claimed' }
    if (!run.ok) return { ...base, evidence: 'claimed', contradictedBy: renderFailure(run.command, 'when it last ran') }
    return { ...base, evidence: run.lastOrder >= state.lastEditOrder ? 'confirmed' : 'claimed' }
  })
}

const DECIDED = /^(?:[\s*#>-]*)(?:\*\*)?(?:decision|decided|design decision)(?:\*\*)?\s*:(?:\*\*)?\s*(.{8,400})$/i

/** Only lines that are marked as a decision. */
export function findDecisions(text: string): readonly string[] {
  return text
    .slice(0, 6_000)
    .split('\n')
    .flatMap((line) => {
      const decision = line.length <= 450 ? DECIDED.exec(line)?.[1] : undefined
      return decision === undefined ? [] : [clip(decision, LIMITS.decisionChars)]
    })
}
