import { codeAt } from '../text/chars.ts'

const ASCII = 128

/**
 * Literal words, found by their first three characters: one table lookup per index of a text, and a second where two
 * characters match. A pattern of all the words would try them one after the other.
 */
export interface PrefixTable {
  /** By a pair of ASCII characters: the index in `groups` of the words that start with it, or 0. */
  readonly pairs: Uint8Array
  /** Longest first, so that none is shadowed by its own prefix. The first group is empty. */
  readonly groups: readonly (readonly string[])[]
  /** By group and ASCII character: whether one of its words continues with it, or ends before. */
  readonly thirds: Uint8Array
}

function hashPair(first: number, second: number): number {
  return (first << 7) | second
}

function buildThirds(groups: readonly (readonly string[])[]): Uint8Array {
  const thirds = new Uint8Array(groups.length * ASCII)
  for (const [group, words] of groups.entries())
    for (const word of words) {
      if (word.length === 2) thirds.fill(1, group * ASCII, (group + 1) * ASCII)
      else thirds[group * ASCII + word.charCodeAt(2)] = 1
    }
  return thirds
}

/** Takes words of two or more ASCII characters. */
export function createPrefixTable(words: Iterable<string>): PrefixTable {
  const pairs = new Uint8Array(ASCII * ASCII)
  const groups: string[][] = [[]]
  for (const word of [...new Set(words)].sort((a, b) => b.length - a.length)) {
    const pair = hashPair(word.charCodeAt(0), word.charCodeAt(1))
    const group = pairs[pair] || groups.push([]) - 1
    groups[group]?.push(word)
    pairs[pair] = group
  }
  return { pairs, groups, thirds: buildThirds(groups) }
}

/** The next index where one of the words may start; -1 when there is none. */
export function findNextPrefix({ pairs, thirds }: PrefixTable, text: string, from: number): number {
  const { length } = text
  let first = text.charCodeAt(from)
  for (let index = from + 1; index < length; index += 1) {
    const second = text.charCodeAt(index)
    const group = (first | second) < ASCII ? (pairs[hashPair(first, second)] ?? 0) : 0
    if (group !== 0) {
      const third = index + 1 < length ? text.charCodeAt(index + 1) : ASCII
      if (third >= ASCII || thirds[group * ASCII + third] !== 0) return index - 1
    }
    first = second
  }
  return -1
}

function standsAt(text: string, index: number, word: string): boolean {
  for (let offset = 2; offset < word.length; offset += 1)
    if (codeAt(text, index + offset) !== word.charCodeAt(offset)) return false
  return true
}

/** The longest word at an index. */
export function matchPrefix({ pairs, groups }: PrefixTable, text: string, index: number): string | undefined {
  const first = codeAt(text, index)
  const second = codeAt(text, index + 1)
  const group = (first | second) < ASCII ? (pairs[hashPair(first, second)] ?? 0) : 0
  if (group === 0) return undefined
  for (const word of groups[group] ?? []) if (standsAt(text, index, word)) return word
  return undefined
}
