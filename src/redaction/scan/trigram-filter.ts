/** Shorter texts are searched faster than they are read. */
const LONG_TEXT = 512
const SHORTEST_WORD = 3

const PLACES = 1 << 15

/** By three characters in a row, whether a text holds any that share their place: one table for all texts, since making one costs more than reading. */
const held = new Uint8Array(PLACES)

function placeOf(first: number, second: number, third: number): number {
  return ((first << 10) ^ (second << 5) ^ third) & (PLACES - 1)
}

function readInto(table: Uint8Array, text: string): void {
  table.fill(0)
  let first = text.charCodeAt(0)
  let second = text.charCodeAt(1)
  for (let index = 2; index < text.length; index += 1) {
    const third = text.charCodeAt(index)
    table[placeOf(first, second, third)] = 1
    first = second
    second = third
  }
}

function mayBeHeld(word: string): boolean {
  for (let index = SHORTEST_WORD - 1; index < word.length; index += 1) {
    const place = placeOf(word.charCodeAt(index - 2), word.charCodeAt(index - 1), word.charCodeAt(index))
    if (held[place] === 0) return false
  }
  return true
}

/** Whether a text holds a word. Only until the next text is asked about. */
export type Holds = (word: string) => boolean

/** For the many words that few texts hold: a long text is read once, and then searched for those alone that it may hold. */
export function heldWords(text: string): Holds {
  if (text.length < LONG_TEXT) return (word) => text.includes(word)
  readInto(held, text)
  return (word) => (word.length < SHORTEST_WORD || mayBeHeld(word)) && text.includes(word)
}
