const ASCII = 128

/**
 * Literal words, found by their first two characters: one look at a table per place of a text, where one pattern of
 * all the words would try them one after the other.
 */
export interface Beginnings {
  /** By a pair of ASCII characters: the place in `groups` of the words that begin so, or 0. */
  readonly pairs: Uint8Array
  /** Longest first, so that none hides behind its own beginning. The first group is empty. */
  readonly groups: readonly (readonly string[])[]
}

function pairOf(first: number, second: number): number {
  return (first << 7) | second
}

/** Words of two ASCII characters or more. */
export function createBeginnings(words: Iterable<string>): Beginnings {
  const pairs = new Uint8Array(ASCII * ASCII)
  const groups: string[][] = [[]]
  for (const word of [...new Set(words)].sort((a, b) => b.length - a.length)) {
    const pair = pairOf(word.charCodeAt(0), word.charCodeAt(1))
    const group = pairs[pair] || groups.push([]) - 1
    groups[group]?.push(word)
    pairs[pair] = group
  }
  return { pairs, groups }
}

/** The next place where one of the words may begin; -1 when there is none. */
export function nextBeginning({ pairs }: Beginnings, text: string, from: number): number {
  const { length } = text
  let first = text.charCodeAt(from)
  for (let index = from + 1; index < length; index += 1) {
    const second = text.charCodeAt(index)
    if ((first | second) < ASCII && pairs[pairOf(first, second)] !== 0) return index - 1
    first = second
  }
  return -1
}

function standsAt(text: string, index: number, word: string): boolean {
  for (let offset = 2; offset < word.length; offset += 1)
    if (text.charCodeAt(index + offset) !== word.charCodeAt(offset)) return false
  return true
}

/** The longest of the words that stands where `nextBeginning` stopped. */
export function wordAt({ pairs, groups }: Beginnings, text: string, index: number): string | undefined {
  const group = groups[pairs[pairOf(text.charCodeAt(index), text.charCodeAt(index + 1))] ?? 0] ?? []
  for (const word of group) if (standsAt(text, index, word)) return word
  return undefined
}
