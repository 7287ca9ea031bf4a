export interface LexicalScore {
  readonly score: number
  /** How many of the asked terms the text has. */
  readonly found: number
}

/** How common terms are among everything that could have been asked for. */
export interface Corpus {
  readonly size: number
  readonly having: ReadonlyMap<string, number>
}

interface Constants {
  readonly saturation: number
  readonly lengthPenalty: number
}

/** How often each asked term stands in a text; terms nobody asked for are only counted as length. */
function countsOf(asked: ReadonlyMap<string, number>, terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) if (asked.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

function corpusOf(counts: readonly ReadonlyMap<string, number>[]): Corpus {
  const having = new Map<string, number>()
  for (const count of counts) for (const term of count.keys()) having.set(term, (having.get(term) ?? 0) + 1)
  return { size: counts.length, having }
}

/**
 * One score for each text, in their order; 0 for a text with none of the terms. Each term comes with how much it counts.
 * Rarity is judged among these texts unless the corpus is given.
 */
export function bm25(
  asked: ReadonlyMap<string, number>,
  texts: readonly (readonly string[])[],
  { saturation, lengthPenalty, corpus }: Constants & { readonly corpus?: Corpus },
): readonly LexicalScore[] {
  const counts = texts.map((terms) => countsOf(asked, terms))
  const averageLength = Math.max(1, texts.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, texts.length))
  const { size, having } = corpus ?? corpusOf(counts)
  const value = new Map(
    [...asked].map(([term, weight]) => {
      const many = Math.min(having.get(term) ?? 0, size)
      return [term, weight * Math.log(1 + (size - many + 0.5) / (many + 0.5))]
    }),
  )
  return counts.map((count, index) => {
    const length = 1 - lengthPenalty + (lengthPenalty * (texts[index]?.length ?? 0)) / averageLength
    let score = 0
    let found = 0
    for (const [term, times] of count) {
      score += ((value.get(term) ?? 0) * times * (saturation + 1)) / (times + saturation * length)
      if (asked.get(term) === 1) found++
    }
    return { score, found }
  })
}
