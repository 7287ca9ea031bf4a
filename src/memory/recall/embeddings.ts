/** A term that is used like another one, and how much so: 1 for the same. */
export interface RelatedTerm {
  readonly term: string
  readonly similarity: number
}

/**
 * What knows how close texts are in meaning, for ranking and for questions whose words nothing has. The table that ships
 * with the product is one, nothing at all is another. Both calls take milliseconds at most and never throw.
 */
export interface Embeddings {
  readonly name: string
  /** Unit length; undefined when it knows none of the terms. Terms are those of `termsOf`. */
  embed(terms: Iterable<string>): Float32Array | undefined
  /** Best first, without the term itself; empty for one that it does not know. */
  related(term: string, limit: number): readonly RelatedTerm[]
}

/** Full text alone. */
export const NO_EMBEDDINGS: Embeddings = { name: 'off', embed: () => undefined, related: () => [] }

/** Of two vectors of unit length; what points away is as far as what has nothing to do with it. */
export function similarityOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.max(0, sum)
}
