import type { Claim } from '../../kernel/checkpoint.ts'
import { WEIGHTS } from './weights.ts'
import { type ClaimEntry, type ClaimTopic, type WorkState, LIMITS } from './state.ts'
import { clip, oneLine } from '../../kernel/text/text.ts'

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
/** Who says how many fail claims no success. */
const NOT_ALL =
  /\b(?:except|only (?:a few|some|one|two|three|\d{1,6})|none of|no (?:unit |integration |e2e )?tests?|0 tests?|(\d{1,6}) (?:out )?of (?!\1\b)\d{1,6})\b|\b[1-9]\d{0,5} (?:of them |others? |tests? ){0,2}(?:are |is |still ){0,2}fail/i
/** Plans, conditions and questions are not claims. */
const NOT_A_CLAIM =
  /\b(?:if|once|when|until|after|should|will|would|make sure|ensure|verify|check|whether|need|let me|let's|don't|doesn't|not|so that|before|while|keep|keeps|keeping|todo|pending)\b|\?$|[⏳☐]|\[ \]/iu

/** What a statement asserts about tests, build or lint. */
export function claimsIn(text: string, order: number): readonly ClaimEntry[] {
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

/** As many of the last statements as the next session is told at most. */
function lastWords(statements: WorkState['statements']): readonly string[] {
  const heard: string[] = []
  let left: number = WEIGHTS.room.lastWordsChars
  for (const { text } of statements.toReversed()) {
    if (left <= 0) break
    heard.push(text)
    left -= text.length
  }
  return heard
}

/** Whether the next session may read the claim itself: in what was written down for it, or among the last words. */
function isHeard({ text }: ClaimEntry, { written, digest, statements }: WorkState): boolean {
  const start = text.replace(/…$/, '')
  const heard = [written?.summary, digest?.summary, ...lastWords(statements)]
  return heard.some((one) => one !== undefined && oneLine(one).includes(start))
}

/**
 * Claimed until a run after the last edit confirms it; contradicted when the newest run failed. What was so when it was said, and
 * was changed since, is out of date and no lie: that the run failed is told by itself, unless somebody may read the claim.
 */
export function judgeClaims(state: WorkState): readonly Claim[] {
  return state.claims.map((claim) => {
    const base = { text: claim.text, lastOrder: claim.order }
    const run = state.commands
      .filter((command) => command.purpose === PURPOSE_OF[claim.topic])
      .toSorted((a, b) => b.lastOrder - a.lastOrder)[0]
    if (run === undefined) return { ...base, evidence: 'claimed' }
    const isOutdated = run.lastOrder > claim.order && state.lastEditOrder > claim.order
    if (!run.ok && isOutdated && !isHeard(claim, state)) return { ...base, evidence: 'claimed' }
    if (!run.ok) return { ...base, evidence: 'claimed', contradictedBy: `\`${run.command}\` failed when it last ran` }
    return { ...base, evidence: run.lastOrder >= state.lastEditOrder ? 'confirmed' : 'claimed' }
  })
}

const DECIDED = /^(?:[\s*#>-]*)(?:\*\*)?(?:decision|decided|design decision)(?:\*\*)?\s*:(?:\*\*)?\s*(.{8,400})$/i

/** Only what a statement marks as a decision in so many words. */
export function decisionsIn(text: string): readonly string[] {
  return text
    .slice(0, 6_000)
    .split('\n')
    .flatMap((line) => {
      const decision = line.length <= 450 ? DECIDED.exec(line)?.[1] : undefined
      return decision === undefined ? [] : [clip(decision, LIMITS.decisionChars)]
    })
}
