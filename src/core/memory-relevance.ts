import type { MemoryConfig } from './config.ts'
import type { MemoryHit } from './memory.ts'

const STOP_WORDS = new Set(
  (
    'about after again also been before being between both could does doing done down each from have having here into just like ' +
    'made make many more most much need only other over please same should some such sure than that their them then there these ' +
    'they this those through under until very want wants were what when where which while will with would your yours work works ' +
    'file files code line lines thing things the and for are not but you can all was has had how its let now our out per use via why'
  ).split(' '),
)

/** The words of a text that can tell one subject from another: lower case, identifiers also in their parts. */
export function significantTerms(text: string): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const parts = word.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2').split('_')
    for (const part of [word, ...parts]) {
      const term = part.toLowerCase()
      if (term.length >= 3 && !STOP_WORDS.has(term)) terms.add(term)
    }
  }
  return terms
}

export interface Relevance {
  readonly matched: readonly string[]
  /** Matched terms as a share of the shorter text's, 0 to 1. */
  readonly share: number
}

export function relevanceOf(prompt: string, memory: string): Relevance {
  const asked = significantTerms(prompt)
  const known = significantTerms(memory)
  const matched = [...asked].filter((term) => known.has(term))
  return { matched, share: matched.length / Math.max(1, Math.min(asked.size, known.size)) }
}

const MIN_MATCHED_TERMS = 2

/** Silence is better than noise: at least two telling words in common, and a fair share of the shorter text. */
export function clearsBar(prompt: string, hit: MemoryHit, config: MemoryConfig): boolean {
  const { matched, share } = relevanceOf(prompt, hit.memory.content)
  return matched.length >= MIN_MATCHED_TERMS && share >= config.minCoverage
}
