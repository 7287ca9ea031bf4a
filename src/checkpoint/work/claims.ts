import type { Claim } from '../../kernel/checkpoint.ts'
import { clip } from '../../kernel/text/text.ts'
import { checkClaims } from '../claims/check-claims.ts'
import { findClaims } from '../claims/find-claims.ts'
import { type ClaimEntry, type WorkState, LIMITS } from './state.ts'

const CLAIM_CHARS = 200

/** The newest claim per topic, with those of a message. */
export function withClaims(claims: readonly ClaimEntry[], said: string, order: number): readonly ClaimEntry[] {
  const byTopic = new Map(claims.map((claim) => [claim.topic, claim]))
  for (const { topic, text } of findClaims(said)) byTopic.set(topic, { topic, text: clip(text, CLAIM_CHARS), order })
  return [...byTopic.values()].slice(-LIMITS.claims)
}

/** Claimed until the observations bear it out; contradicted if the last of them says otherwise. */
export function judgeClaims(state: WorkState): readonly Claim[] {
  const { claims, lastEditOrder, lastPushOrder, checks = [], commits = [], commands, files } = state
  const push = lastPushOrder === undefined ? {} : { lastPushOrder }
  const evidence = { checks, commits, commands, files, lastEditOrder, ...push }
  return claims.map(({ text, topic, order }) => {
    const base = { text, lastOrder: order }
    const refutation = checkClaims(text, { ...evidence, saidAt: order }).find((finding) => finding.topic === topic)
    if (refutation?.kind === 'refuted') return { ...base, evidence: 'claimed', contradictedBy: refutation.because }
    const isStale = checkClaims(text, evidence).some((finding) => finding.topic === topic)
    return { ...base, evidence: refutation === undefined && !isStale ? 'confirmed' : 'claimed' }
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
