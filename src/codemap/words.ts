import type { WordUse } from './symbol.ts'

const MAX_WORDS = 500
/** Identifiers of three characters and more: shorter ones say nothing about who uses whom. */
const WORD = /[A-Za-z_$\u00aa-\uffdc][\w$\u00aa-\uffdc]{2,63}/g

/** FNV-1a, 32 bits. Two names that meet cost the ranking one wrong edge. */
export function digestOf(word: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < word.length; n += 1) hash = Math.imul(hash ^ word.charCodeAt(n), 0x01000193)
  return hash >>> 0
}

/** Counted on the text and not on the tree: several times as fast, and a name in a comment is a reference too. */
export function countWords(source: string): WordUse {
  const counts = new Map<string, number>()
  for (const [word] of source.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = [...counts]
  const kept = all.length <= MAX_WORDS ? all : all.toSorted((a, b) => b[1] - a[1]).slice(0, MAX_WORDS)
  return {
    digests: Uint32Array.from(kept, ([word]) => digestOf(word)),
    counts: Uint8Array.from(kept, ([, count]) => Math.min(255, count)),
  }
}
