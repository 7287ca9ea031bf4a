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
  /** The terms, with a space between two. */
  readonly words: string
  /** 0 to 255 for 0 to 1. */
  readonly weights: Uint8Array
  readonly vectors: Int8Array
}

const MAGIC = 'holdfast word table 1'

export function encodeWordTable({ dimensions, words, weights, vectors }: WordTable): Uint8Array {
  const head = new TextEncoder().encode(`${MAGIC}\n${dimensions}\n${words}\n`)
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

/** Where each term begins, and as the last where another one would. */
function startsOf(words: string): Uint32Array {
  const starts = [0]
  for (let at = words.indexOf(' '); at >= 0; at = words.indexOf(' ', at + 1)) starts.push(at + 1)
  return Uint32Array.from([...starts, words.length + 1])
}

interface TermRows {
  readonly count: number
  find(term: string): number | undefined
  name(row: number): string
}

/** A `Map` of 20,000 strings would take 2 MB for as long as the process lives; this takes 0.3 MB. */
function indexTerms(words: string): TermRows {
  const starts = startsOf(words)
  const count = starts.length - 1
  const start = (row: number) => starts[row] ?? 0
  const end = (row: number) => start(row + 1) - 1
  // At most half of the slots are used. A slot has the row after the one meant: 0 is an empty slot.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2)))
  const mask = slots.length - 1

  function hash(text: string, from: number, to: number): number {
    let value = 0
    for (let at = from; at < to; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0
    return Math.imul(value ^ (value >>> 15), 0x9e3779b1) >>> 8
  }

  for (let row = 0; row < count; row++) {
    let slot = hash(words, start(row), end(row)) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = row + 1
  }
  return {
    count,
    name: (row) => words.slice(start(row), end(row)),
    find(term) {
      for (let slot = hash(term, 0, term.length) & mask; ; slot = (slot + 1) & mask) {
        const row = (slots[slot] ?? 0) - 1
        if (row < 0) return undefined
        if (end(row) - start(row) === term.length && words.startsWith(term, start(row))) return row
      }
    },
  }
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
  const count = startsOf(words).length - 1
  const isWhole = bytes.length === from + count * (1 + dimensions)
  if (magic !== MAGIC || !Number.isInteger(dimensions) || dimensions < 1 || !isWhole) return undefined
  const weights = bytes.subarray(from, from + count)
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset + from + count, count * dimensions)
  return { dimensions, words, weights, vectors }
}

/** More terms would not change a ranking. */
const MAX_TERMS = 96

export function tableEmbeddings({ dimensions, words, weights, vectors }: WordTable): Embeddings {
  const rows = indexTerms(words)
  const lengths = new Float32Array(rows.count)

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
        const row = rows.find(term)
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
      const row = rows.find(term)
      if (row === undefined || limit < 1) return []
      const best: RelatedTerm[] = []
      for (let other = 0; other < rows.count; other++) {
        if (other === row) continue
        const similarity = dot(row, other) / (getVectorLength(row) * getVectorLength(other))
        if (best.length === limit && similarity <= (best.at(-1)?.similarity ?? 0)) continue
        best.splice(best.findIndex((known) => known.similarity < similarity) >>> 0, 0, {
          term: rows.name(other),
          similarity,
        })
        if (best.length > limit) best.pop()
      }
      return best
    },
    compareWith(asked) {
      const units = asked.map((term) => {
        const row = rows.find(term)
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
        const row = rows.find(term)
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
