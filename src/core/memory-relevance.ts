import type { MemoryConfig } from './config.ts'
import type { MemoryHit } from './memory.ts'
import { queryTermsOf } from './terms.ts'

export interface Relevance {
  readonly matched: readonly string[]
  /** Matched terms as a share of the shorter text's, 0 to 1. */
  readonly share: number
}

/** Two letters tell no subject from another. */
const MIN_TERM_CHARS = 3

function tellingTerms(text: string): readonly string[] {
  return queryTermsOf(text).filter((term) => term.length >= MIN_TERM_CHARS)
}

export function relevanceOf(prompt: string, memory: string): Relevance {
  const asked = tellingTerms(prompt)
  const known = new Set(tellingTerms(memory))
  const matched = asked.filter((term) => known.has(term))
  return { matched, share: matched.length / Math.max(1, Math.min(asked.length, known.size)) }
}

const MIN_MATCHED_TERMS = 2

/** Silence is better than noise: at least two telling words in common, and a fair share of the shorter text. */
export function clearsBar(prompt: string, hit: MemoryHit, config: MemoryConfig): boolean {
  const { matched, share } = relevanceOf(prompt, hit.memory.content)
  return matched.length >= MIN_MATCHED_TERMS && share >= config.minCoverage
}
