import { DIGIT, kindsOf, LOWER, small, UPPER } from './chars.ts'
import { letterTable } from './letter-table.ts'
import { pattern } from './patterns.ts'

/** The table has eight steps, in bits. */
export const STEP_BITS = 1.4
const STATES = 27
const LETTERS = 26
/** The first of the 64 characters that each hold two steps. */
export const FIRST_CHAR = 48

/** What a letter costs that is drawn at random. */
const DRAWN_BITS = Math.log2(LETTERS)

function decodeTable(lines: readonly string[]): Float32Array {
  const costs = new Float32Array(STATES * STATES * LETTERS)
  let index = 0
  for (const line of lines)
    for (let at = 0; at < line.length; at += 1) {
      const steps = line.charCodeAt(at) - FIRST_CHAR
      costs[index] = (steps >> 3) * STEP_BITS - DRAWN_BITS
      costs[index + 1] = (steps & 7) * STEP_BITS - DRAWN_BITS
      index += 2
    }
  return costs
}

let costs: Float32Array | undefined

/** In words a letter seldom changes to a capital or a digit, and in what is drawn at random half of them do. */
const CASE_CHANGE = 2.5
const CASE_KEPT = -0.7
const CAPITAL_AGAIN = 1.2
/** Between two capitals words have more letters than one. */
const SHORT_HUMP = 1
const CAPITALS_END = 2
const DIGIT_CHANGE = 2.5
/** A sign that joins words says nothing. Any other is met in code as well. */
const SIGN = 1.5
const joiners = new Set(Array.from('._-/:', (sign) => sign.charCodeAt(0)))

/** As much of a value as is judged. */
const JUDGED_CHARS = 128

/**
 * Evidence that a value was drawn at random, in bits: positive where its letters, case, digits and signs are more likely
 * drawn than written as words of a language or of code, negative for words.
 */
export function randomBits(value: string): number {
  costs ??= decodeTable(letterTable)
  const length = Math.min(value.length, JUDGED_CHARS)
  let bits = 0
  let before = 0
  let capitals = 0
  let hump = 0
  let first = 0
  let second = 0
  let lower = 0
  let upper = 0
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    const kind = kindsOf(code) & (LOWER | UPPER | DIGIT)
    if (kind === 0) {
      if (code < 128 && !joiners.has(code)) bits += SIGN
      first = second = capitals = hump = 0
    } else if (kind === DIGIT) {
      if (before === LOWER || before === UPPER) bits += DIGIT_CHANGE
      first = second = capitals = hump = 0
    } else {
      if (before === DIGIT) bits += DIGIT_CHANGE
      if (kind === UPPER) {
        upper += 1
        if (before === LOWER) {
          bits += hump < 3 ? CASE_CHANGE + SHORT_HUMP : CASE_CHANGE
          hump = 0
          first = second = 0
        } else if (before === UPPER) bits += CAPITAL_AGAIN
        capitals += 1
      } else {
        lower += 1
        if (capitals > 1) bits += CAPITALS_END
        capitals = 0
      }
      hump += 1
      const third = small(code) - 96
      bits += costs[(first * STATES + second) * LETTERS + third - 1] ?? 0
      first = second
      second = third
    }
    before = kind
  }
  // Where all letters have one case, nothing was to be chosen.
  if (lower > 0 && upper > 0) bits += (lower + upper) * CASE_KEPT
  else if (upper > 1) bits -= (upper - 1) * CAPITAL_AGAIN
  return bits
}

/** The shorter a value, the more of it can be chance. */
const SHORTEST = 8
const CERTAIN_BITS = 2
const SHORT_BITS = 10
const BITS_PER_CHAR = 0.5

/** Signs that join no words, between letters or digits: few of them stand so in code. */
const FEWEST_BITS = 1

/** Nobody can have written it as words: `UkbLiVdPbjKt`, and not `userPassword`. */
export function isUnreadable(value: string): boolean {
  if (value.length < SHORTEST) return false
  const least = pattern.signWithin.test(value)
    ? FEWEST_BITS
    : Math.max(CERTAIN_BITS, SHORT_BITS - value.length * BITS_PER_CHAR)
  return randomBits(value) >= least
}

/** Of letters that are drawn at random, one body of sixteen in fifty thousand has fewer. */
const WORD_BITS_PER_CHAR = -0.35

/** A body of words behind the beginning of a credential: `xapp-onboarding-framework`, `glpat-style-tokens-in-prose`. */
export function readsAsWords(value: string): boolean {
  const length = Math.min(value.length, JUDGED_CHARS)
  return randomBits(value) < length * WORD_BITS_PER_CHAR && !value.split(pattern.wordBreak).some(isUnreadable)
}
