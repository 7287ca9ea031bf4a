import { ALPHANUMERIC, CONSONANT, DIGIT, getCharClasses, LOWER, UPPER } from './chars.ts'
import { isUnreadable } from './letter-odds.ts'
import { pattern } from './patterns.ts'

/** Enough to decide; a longer value is judged by its start, which bounds the cost. */
const JUDGED_CHARS = 256

export interface Texture {
  readonly length: number
  readonly lower: number
  readonly upper: number
  readonly digits: number
  readonly symbols: number
  /** Changes of character class inside a word, per character: high in random values. */
  readonly breaks: number
  /** Lower-case consonants in a row: natural language has fewer than seven. */
  readonly consonants: number
}

const SYMBOL = 0

/** `Word` is one word and `HTTPServer` two: a single capital starts a word, a run of capitals is one. */
function isBreak(before: number, current: number, capitals: number): boolean {
  if (before === SYMBOL || current === SYMBOL || before === current) return false
  return !(before === UPPER && current === LOWER && capitals === 1)
}

export function measureTexture(value: string): Texture {
  const length = Math.min(value.length, JUDGED_CHARS)
  let lower = 0
  let upper = 0
  let digits = 0
  let before = SYMBOL
  let capitals = 0
  let breaks = 0
  let row = 0
  let consonants = 0
  for (let index = 0; index < length; index += 1) {
    const kinds = getCharClasses(value.charCodeAt(index))
    const current = kinds & ALPHANUMERIC
    if (isBreak(before, current, capitals)) breaks += 1
    if (current === LOWER) lower += 1
    else if (current === DIGIT) digits += 1
    else if (current === UPPER) upper += 1
    capitals = current === UPPER ? capitals + 1 : 0
    row = (kinds & CONSONANT) === 0 ? 0 : row + 1
    if (row > consonants) consonants = row
    before = current
  }
  const known = lower + upper + digits
  return { length, lower, upper, digits, symbols: length - known, breaks: breaks / Math.max(1, known), consonants }
}

/** n·log2(n): what n equal characters subtract from the entropy of a text. */
const share = Float64Array.from({ length: JUDGED_CHARS + 1 }, (_, count) => (count > 1 ? count * Math.log2(count) : 0))

/** Its increase with one more character. */
const growth = Float64Array.from({ length: JUDGED_CHARS }, (_, count) => (share[count + 1] ?? 0) - (share[count] ?? 0))

/** Occurrences of each character, by its low seven bits. One table for all calls, zeroed after each: allocating costs more than counting. */
const counts = new Uint16Array(128)

/** The longest run of one character, and the Shannon entropy per character. */
function measureRepetition(value: string, length: number): { readonly longestRun: number; readonly bits: number } {
  let sum = 0
  let run = 0
  let longestRun = 0
  let last = -1
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    const count = counts[code & 127] ?? 0
    sum += growth[count] ?? 0
    counts[code & 127] = count + 1
    run = code === last ? run + 1 : 1
    if (run > longestRun) longestRun = run
    last = code
  }
  counts.fill(0)
  return { longestRun, bits: length === 0 ? 0 : Math.log2(length) - sum / length }
}

/** `xxxxxxxx`, `0000…`, `FakeFakeFake`: the shape of a secret without being one. */
export function isFiller(value: string): boolean {
  const length = Math.min(value.length, JUDGED_CHARS)
  const { longestRun, bits } = measureRepetition(value, length)
  if (longestRun > Math.max(8, length / 3)) return true
  const expected = length >= 24 ? 2.7 : length >= 12 ? 2.3 : 1.5
  return bits < expected || pattern.crossedOut.test(value)
}

/** Character classes change inside words, or the letters are unpronounceable. */
function isScattered({ length, lower, upper, digits, breaks, consonants }: Texture): boolean {
  const isShort = length < 16
  if (lower + upper === 0) return false
  if (!isShort && consonants >= (digits > 0 ? 6 : 7)) return true
  if (digits === 0) return !isShort && lower > 0 && upper > 0 && breaks >= 0.3
  if (lower > 0 && upper > 0) return breaks >= (isShort ? 0.3 : 0.24)
  if (upper > 0) return breaks >= 0.14
  return breaks >= (isShort ? 0.27 : 0.2)
}

/** Whether the value looks random. Pass the texture if it was measured already. */
export function looksRandom(value: string, texture: Texture = measureTexture(value)): boolean {
  return value.length >= 8 && isScattered(texture) && !isFiller(value)
}

/** The same for a value after a secret keyword, where the letters alone may decide: `UkbLiVdPbjKt`. */
export function looksRandomAfterName(value: string, texture: Texture = measureTexture(value)): boolean {
  return value.length >= 8 && (isScattered(texture) || isUnreadable(value)) && !isFiller(value)
}
