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
  /** How many of the nearest other terms are known of each term. */
  readonly neighbours: number
  /** The terms, with a space between two. */
  readonly words: string
  /** 0 to 255 for 0 to 1. */
  readonly weights: Uint8Array
  readonly vectors: Int8Array
  /** The rows of the nearest terms, best first, in two bytes each, the lower one first: searching all vectors for them takes code that V8 must optimize. */
  readonly nearest: Uint8Array
}

const MAGIC = 'holdfast word table 2'
const ROW_BYTES = 2

export function encodeWordTable({ dimensions, neighbours, words, weights, vectors, nearest }: WordTable): Uint8Array {
  const head = new TextEncoder().encode(`${MAGIC}\n${dimensions} ${neighbours}\n${words}\n`)
  const bytes = new Uint8Array(head.length + weights.length + vectors.length + nearest.length)
  bytes.set(head)
  bytes.set(weights, head.length)
  bytes.set(new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.length), head.length + weights.length)
  bytes.set(nearest, head.length + weights.length + vectors.length)
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

  // Seven characters tell the words of the table apart well enough, and without a loop V8 has nothing to optimize at the first search.
  function hash(text: string, from: number, to: number): number {
    let value = to - from
    value = (Math.imul(value, 31) + text.charCodeAt(from)) | 0
    value = (Math.imul(value, 31) + text.charCodeAt(Math.min(from + 1, to - 1))) | 0
    value = (Math.imul(value, 31) + text.charCodeAt(Math.min(from + 2, to - 1))) | 0
    value = (Math.imul(value, 31) + text.charCodeAt(Math.min(from + 3, to - 1))) | 0
    value = (Math.imul(value, 31) + text.charCodeAt((from + to) >>> 1)) | 0
    value = (Math.imul(value, 31) + text.charCodeAt(Math.max(from, to - 2))) | 0
    value = (Math.imul(value, 31) + text.charCodeAt(to - 1)) | 0
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
  const [magic, sizes = '', words = ''] = lines
  const [dimensions = 0, neighbours = 0] = sizes.split(' ').map(Number)
  const count = startsOf(words).length - 1
  const rowBytes = 1 + dimensions + neighbours * ROW_BYTES
  const isSized = Number.isInteger(dimensions) && dimensions > 0 && Number.isInteger(neighbours)
  if (magic !== MAGIC || !isSized || bytes.length !== from + count * rowBytes) return undefined
  const weights = bytes.subarray(from, from + count)
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset + from + count, count * dimensions)
  const nearest = bytes.subarray(from + count * (1 + dimensions))
  return { dimensions, neighbours, words, weights, vectors, nearest }
}

/** More terms would not change a ranking. */
const MAX_TERMS = 96

export function tableEmbeddings(table: WordTable): Embeddings {
  const { dimensions, neighbours, words, weights, vectors, nearest } = table
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
      return Array.from({ length: Math.min(limit, neighbours) }, (_, rank) => {
        const at = (row * neighbours + rank) * ROW_BYTES
        const other = (nearest[at] ?? 0) + (nearest[at + 1] ?? 0) * 256
        const similarity = dot(row, other) / (getVectorLength(row) * getVectorLength(other))
        return { term: rows.name(other), similarity }
      })
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
