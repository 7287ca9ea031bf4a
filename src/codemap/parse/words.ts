import type { WordUse } from './symbol.ts'

const MAX_WORDS = 500
/** Shorter words are not useful as references. */
const MIN_WORD_CHARS = 3
const MAX_WORD_CHARS = 64

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1a, 32 bits. A collision costs the ranking one wrong edge. */
export function hashWord(word: string): number {
  let hash = FNV_OFFSET
  for (let n = 0; n < word.length; n += 1) hash = Math.imul(hash ^ word.charCodeAt(n), FNV_PRIME)
  return hash >>> 0
}

const isLetter = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 36 ||
  (code >= 0xaa && code <= 0xffdc)
const isDigit = (code: number) => code >= 48 && code <= 57

/**
 * Counts on the text, not on the syntax tree: several times faster, and a name in a comment is a reference too. One pass
 * without allocating strings.
 */
export function countWords(source: string): WordUse {
  const counts = new Map<number, number>()
  let hash = FNV_OFFSET
  let length = 0
  for (let at = 0; at <= source.length; at += 1) {
    const code = at === source.length ? 0 : source.charCodeAt(at)
    const isStart = isLetter(code)
    if (length < MAX_WORD_CHARS && (isStart || (length > 0 && isDigit(code)))) {
      hash = Math.imul(hash ^ code, FNV_PRIME)
      length += 1
      continue
    }
    if (length >= MIN_WORD_CHARS) counts.set(hash >>> 0, (counts.get(hash >>> 0) ?? 0) + 1)
    hash = isStart ? Math.imul(FNV_OFFSET ^ code, FNV_PRIME) : FNV_OFFSET
    length = isStart ? 1 : 0
  }
  const all = [...counts]
  const counted = all.length <= MAX_WORDS ? all : all.toSorted((a, b) => b[1] - a[1]).slice(0, MAX_WORDS)
  return {
    digests: Uint32Array.from(counted, ([digest]) => digest),
    counts: Uint8Array.from(counted, ([, count]) => Math.min(255, count)),
  }
}
