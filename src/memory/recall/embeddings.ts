/** `similarity` is 1 for the same term. */
export interface RelatedTerm {
  readonly term: string
  readonly similarity: number
}

/** Similarity of texts in meaning. Implementations: the shipped word table, or none. Calls take milliseconds and never throw. */
export interface Embeddings {
  readonly name: string
  /** Unit length; undefined when it knows none of the terms. Terms are those of `extractTerms`. */
  embed(terms: Iterable<string>): Float32Array | undefined
  /** Best first, without the term itself; empty for an unknown term. */
  related(term: string, limit: number): readonly RelatedTerm[]
  /** For a term of a text: its similarity to each of these terms, in their order; 0 for unknown ones. */
  compareWith(asked: readonly string[]): (term: string) => Float32Array
}

export const NO_EMBEDDINGS: Embeddings = {
  name: 'off',
  embed: () => undefined,
  related: () => [],
  compareWith: (asked) => () => new Float32Array(asked.length),
}

/** Cosine of two unit vectors, at least 0. */
export function measureSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.max(0, sum)
}

/** A vector of signed bytes for each term, in the order of the terms. A text is the weighted sum of its terms. Written by bench/build-word-table. */
export interface WordTable {
  readonly dimensions: number
  readonly terms: readonly string[]
  /** 0 to 255 for 0 to 1. */
  readonly weights: Uint8Array
  readonly vectors: Int8Array
}

const MAGIC = 'holdfast word table 1'

export function encodeWordTable({ dimensions, terms, weights, vectors }: WordTable): Uint8Array {
  const head = new TextEncoder().encode(`${MAGIC}\n${dimensions}\n${terms.join(' ')}\n`)
  const bytes = new Uint8Array(head.length + weights.length + vectors.length)
  bytes.set(head)
  bytes.set(weights, head.length)
  bytes.set(new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.length), head.length + weights.length)
  return bytes
}

function findNewline(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(10, from)
  return end === -1 ? bytes.length : end
}

/** Undefined when the bytes are not a whole table. */
export function decodeWordTable(bytes: Uint8Array): WordTable | undefined {
  const lines: string[] = []
  let from = 0
  for (let line = 0; line < 3; line++) {
    const end = findNewline(bytes, from)
    lines.push(new TextDecoder().decode(bytes.subarray(from, end)))
    from = end + 1
  }
  const [magic, size, words = ''] = lines
  const dimensions = Number(size)
  const terms = words.split(' ')
  const isWhole = bytes.length === from + terms.length * (1 + dimensions)
  if (magic !== MAGIC || !Number.isInteger(dimensions) || dimensions < 1 || !isWhole) return undefined
  const weights = bytes.subarray(from, from + terms.length)
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset + from + terms.length, terms.length * dimensions)
  return { dimensions, terms, weights, vectors }
}

/** More terms would not change a ranking. */
const MAX_TERMS = 96

export function tableEmbeddings({ dimensions, terms, weights, vectors }: WordTable): Embeddings {
  const rows = new Map(terms.map((term, row) => [term, row]))
  const lengths = new Float32Array(terms.length)

  function getVectorLength(row: number): number {
    const known = lengths[row] ?? 0
    if (known > 0) return known
    let sum = 0
    for (let index = row * dimensions; index < (row + 1) * dimensions; index++) sum += (vectors[index] ?? 0) ** 2
    return (lengths[row] = Math.max(1, Math.sqrt(sum)))
  }

  function dot(a: number, b: number): number {
    let sum = 0
    for (let index = 0; index < dimensions; index++) {
      sum += (vectors[a * dimensions + index] ?? 0) * (vectors[b * dimensions + index] ?? 0)
    }
    return sum
  }

  return {
    name: 'words',
    embed(asked) {
      const sum = new Float32Array(dimensions)
      const seen = new Set<number>()
      for (const term of asked) {
        const row = rows.get(term)
        if (row === undefined || seen.has(row)) continue
        if (seen.add(row).size > MAX_TERMS) break
        const share = (weights[row] ?? 0) / 255 / getVectorLength(row)
        const start = row * dimensions
        for (let index = 0; index < dimensions; index++) {
          sum[index] = (sum[index] ?? 0) + share * (vectors[start + index] ?? 0)
        }
      }
      const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0))
      return length === 0 ? undefined : sum.map((value) => value / length)
    },
    related(term, limit) {
      const row = rows.get(term)
      if (row === undefined || limit < 1) return []
      const best: RelatedTerm[] = []
      for (const [other, name] of terms.entries()) {
        if (other === row) continue
        const similarity = dot(row, other) / (getVectorLength(row) * getVectorLength(other))
        if (best.length === limit && similarity <= (best.at(-1)?.similarity ?? 0)) continue
        best.splice(best.findIndex((known) => known.similarity < similarity) >>> 0, 0, { term: name, similarity })
        if (best.length > limit) best.pop()
      }
      return best
    },
    compareWith(asked) {
      const units = asked.map((term) => {
        const row = rows.get(term)
        if (row === undefined) return undefined
        const unit = new Float32Array(dimensions)
        for (let index = 0; index < dimensions; index++) {
          unit[index] = (vectors[row * dimensions + index] ?? 0) / getVectorLength(row)
        }
        return unit
      })
      const none = new Float32Array(asked.length)
      const known = new Map<string, Float32Array>()
      return (term) => {
        const before = known.get(term)
        if (before !== undefined) return before
        const row = rows.get(term)
        if (row === undefined) return none
        const start = row * dimensions
        const length = getVectorLength(row)
        const similar = new Float32Array(asked.length)
        for (const [at, unit] of units.entries()) {
          if (unit === undefined) continue
          let sum = 0
          for (let index = 0; index < dimensions; index++) sum += (unit[index] ?? 0) * (vectors[start + index] ?? 0)
          similar[at] = sum / length
        }
        known.set(term, similar)
        return similar
      }
    },
  }
}
