/** BM25's usual constants: how soon repetition stops counting, and how much length is held against a text. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

export interface Candidate {
  readonly terms: readonly string[]
  /** 1 to 10; 5 leaves the score as it is. */
  readonly importance: number
}

export interface Ranked<Item> {
  readonly item: Item
  readonly score: number
  readonly coverage: number
}

function countsOf(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/**
 * Best first; equals keep their order. Both databases only find candidates: they rank differently, and the order that a
 * user sees must not depend on which of them keeps the memories.
 */
export function rank<Item extends Candidate>(
  queryTerms: readonly string[],
  candidates: readonly Item[],
): readonly Ranked<Item>[] {
  const counts = candidates.map((candidate) => countsOf(candidate.terms))
  const averageLength = candidates.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(1, candidates.length)
  const rarity = new Map(
    queryTerms.map((term) => {
      const having = counts.filter((count) => count.has(term)).length
      return [term, Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5))]
    }),
  )
  return candidates
    .map((item, index) => {
      const found = queryTerms.filter((term) => counts[index]?.has(term))
      const length = LENGTH_WEIGHT * (item.terms.length / Math.max(1, averageLength)) + 1 - LENGTH_WEIGHT
      const relevance = found.reduce((sum, term) => {
        const times = counts[index]?.get(term) ?? 0
        return sum + ((rarity.get(term) ?? 0) * times * (SATURATION + 1)) / (times + SATURATION * length)
      }, 0)
      const coverage = queryTerms.length === 0 ? 0 : found.length / queryTerms.length
      return { item, coverage, score: relevance * (1 + coverage) * (1 + (item.importance - 5) * 0.04) }
    })
    .toSorted((a, b) => b.score - a.score)
}
