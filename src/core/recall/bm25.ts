export interface LexicalScore {
  readonly score: number
  /** How many of the asked terms the text has. */
  readonly found: number
}

interface Constants {
  readonly saturation: number
  readonly lengthPenalty: number
}

/** How often each asked term stands in a text; terms nobody asked for are only counted as length. */
function countsOf(asked: ReadonlySet<string>, terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) if (asked.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** One score for each text, in their order; 0 for a text with none of the terms. Rarity is judged among these texts. */
export function bm25(
  queryTerms: readonly string[],
  texts: readonly (readonly string[])[],
  { saturation, lengthPenalty }: Constants,
): readonly LexicalScore[] {
  const asked = new Set(queryTerms)
  const counts = texts.map((terms) => countsOf(asked, terms))
  const averageLength = Math.max(1, texts.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, texts.length))
  const having = new Map<string, number>()
  for (const count of counts) for (const term of count.keys()) having.set(term, (having.get(term) ?? 0) + 1)
  const rarity = new Map(
    [...having].map(([term, many]) => [term, Math.log(1 + (texts.length - many + 0.5) / (many + 0.5))]),
  )
  return counts.map((count, index) => {
    const length = 1 - lengthPenalty + (lengthPenalty * (texts[index]?.length ?? 0)) / averageLength
    let score = 0
    for (const [term, times] of count) {
      score += ((rarity.get(term) ?? 0) * times * (saturation + 1)) / (times + saturation * length)
    }
    return { score, found: count.size }
  })
}
