/** Shorter texts are searched directly. */
const LONG_TEXT = 512
const SHORTEST_WORD = 3

const PLACES = 1 << 15

/** By hash of a trigram, whether the current text contains it. One table for all texts, since allocating costs more than reading. */
const held = new Uint8Array(PLACES)

function hashTrigram(first: number, second: number, third: number): number {
  return ((first << 10) ^ (second << 5) ^ third) & (PLACES - 1)
}

function readInto(table: Uint8Array, text: string): void {
  table.fill(0)
  let first = text.charCodeAt(0)
  let second = text.charCodeAt(1)
  for (let index = 2; index < text.length; index += 1) {
    const third = text.charCodeAt(index)
    table[hashTrigram(first, second, third)] = 1
    first = second
    second = third
  }
}

function mayContain(word: string): boolean {
  for (let index = SHORTEST_WORD - 1; index < word.length; index += 1) {
    const place = hashTrigram(word.charCodeAt(index - 2), word.charCodeAt(index - 1), word.charCodeAt(index))
    if (held[place] === 0) return false
  }
  return true
}

/** Whether a text contains a word. Valid only until the next filter is created. */
export type ContainsWord = (word: string) => boolean

/** For many words that few texts contain: a long text is read once, then searched only for words it may contain. */
export function createTrigramFilter(text: string): ContainsWord {
  if (text.length < LONG_TEXT) return (word) => text.includes(word)
  readInto(held, text)
  return (word) => (word.length < SHORTEST_WORD || mayContain(word)) && text.includes(word)
}
