import { ALPHANUMERIC, CONSONANT, DIGIT, kindsOf, LOWER, UPPER } from './chars.ts'
import { isUnreadable } from './letter-odds.ts'
import { pattern } from './patterns.ts'

/** Enough to tell; a longer value is judged by its beginning, so that judging never costs more than this. */
const JUDGED_CHARS = 256

export interface Texture {
  readonly length: number
  readonly lower: number
  readonly upper: number
  readonly digits: number
  readonly symbols: number
  /** Changes of character class inside a word, per character: high where nobody chose the letters. */
  readonly breaks: number
  /** Small consonants in a row: no language strings seven of them together. */
  readonly consonants: number
}

const SYMBOL = 0

/** `Word` is one word and `HTTPServer` two: a single capital opens a word, a row of them is one. */
function isBreak(before: number, current: number, capitals: number): boolean {
  if (before === SYMBOL || current === SYMBOL || before === current) return false
  return !(before === UPPER && current === LOWER && capitals === 1)
}

export function textureOf(value: string): Texture {
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
    const kinds = kindsOf(value.charCodeAt(index))
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

/** n·log2(n): what n equal characters take from the entropy of a text. */
const share = Float64Array.from({ length: JUDGED_CHARS + 1 }, (_, count) => (count > 1 ? count * Math.log2(count) : 0))

/** By how much that grows with one more of them. */
const growth = Float64Array.from({ length: JUDGED_CHARS }, (_, count) => (share[count + 1] ?? 0) - (share[count] ?? 0))

/** How often each character occurs, by its low seven bits; one table for all calls, all zeros between them, since making one costs more than counting. */
const counts = new Uint16Array(128)

/** How often characters repeat: the most in a row, and Shannon's measure of them all, per character. */
function repetitionOf(value: string, length: number): { readonly longestRun: number; readonly bits: number } {
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

/** `xxxxxxxx`, `0000…`, `FakeFakeFake`: keeps the shape of a secret and holds none. */
export function isFiller(value: string): boolean {
  const length = Math.min(value.length, JUDGED_CHARS)
  const { longestRun, bits } = repetitionOf(value, length)
  if (longestRun > Math.max(8, length / 3)) return true
  const expected = length >= 24 ? 2.7 : length >= 12 ? 2.3 : 1.5
  return bits < expected || pattern.crossedOut.test(value)
}

/** Several classes of character that change without regard for words, or letters that nobody can say. */
function isScattered({ length, lower, upper, digits, breaks, consonants }: Texture): boolean {
  const isShort = length < 16
  if (lower + upper === 0) return false
  if (!isShort && consonants >= (digits > 0 ? 6 : 7)) return true
  if (digits === 0) return !isShort && lower > 0 && upper > 0 && breaks >= 0.3
  if (lower > 0 && upper > 0) return breaks >= (isShort ? 0.3 : 0.24)
  if (upper > 0) return breaks >= 0.14
  return breaks >= (isShort ? 0.27 : 0.2)
}

/** Drawn at random, as far as letters can tell. The texture is the value's, for those who have it already. */
export function looksRandom(value: string, texture: Texture = textureOf(value)): boolean {
  return value.length >= 8 && isScattered(texture) && !isFiller(value)
}

/** The same for a value behind a name that announces a secret, where the letters alone may decide: `UkbLiVdPbjKt`. */
export function looksDrawn(value: string, texture: Texture = textureOf(value)): boolean {
  return value.length >= 8 && (isScattered(texture) || isUnreadable(value)) && !isFiller(value)
}
