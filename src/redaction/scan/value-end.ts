import { ALPHANUMERIC, BARE, BLANK, codeAt, DIGIT, endOfRun, isOf, LETTER, LOWER, NAME, QUOTE } from '../text/chars.ts'
import { randomBits } from '../text/letter-odds.ts'

/** No password is longer that has signs in it which end a value elsewhere. */
const LONGEST = 64
/** Signs in a row inside a password; more of them are code. */
const MOST_SIGNS = 4
const SHORTEST_WORD = 3
const WORD_BITS = -2
/** A value before the next field, whose name may then be one letter. */
const SHORTEST_VALUE = 6

const ESCAPE = 27
const AMPERSAND = 38
const COMMA = 44
const COLON = 58
const SEMICOLON = 59
const LESS = 60
const EQUALS = 61
const GREATER = 62
const BACKSLASH = 92
/** What follows a backslash that escapes it: a quote, a line's end, a tab, a character by its number. */
const ESCAPED = '"\'`\\nrtbfu0x/'
/** Behind one of these a word is another word, or the code that the value stands in. */
const ENDING = ',;)]}>"\'`'

function isSign(code: number): boolean {
  return code !== ESCAPE && !isOf(BARE | BLANK, code)
}

function isWord(text: string, start: number, end: number): boolean {
  return end - start >= SHORTEST_WORD && randomBits(text.slice(start, end)) <= WORD_BITS
}

/** `</code>`, `<br>`: a tag behind the value. */
function isTag(text: string, { rest, end }: Joint): boolean {
  return codeAt(text, end) === GREATER && endOfRun(LOWER | DIGIT, text, rest, end - rest) === end
}

/** Behind the signs at a place, whether they end a value elsewhere or not. */
function afterSigns(text: string, from: number, limit: number): number {
  let index = from
  while (index < limit && index - from <= MOST_SIGNS) {
    const code = text.charCodeAt(index)
    if (isOf(ALPHANUMERIC | BLANK, code) || code === ESCAPE) return index
    index += 1
  }
  return index
}

/** A place where a value is followed by signs, and those by more that could be of it. */
interface Joint {
  readonly signs: number
  readonly rest: number
  readonly end: number
}

/** `,db=d`, `;Server=db`, `&user=bob`: the next field of what the value stands in. */
function isField(text: string, { signs, rest: start, end }: Joint, valueStart: number): boolean {
  const isLongBefore = signs - valueStart >= SHORTEST_VALUE
  if (!isOf(LETTER, codeAt(text, start))) return false
  for (let index = start + 1; index < end; index += 1) {
    const code = codeAt(text, index)
    if (code === EQUALS || code === COLON) return index - start > 2 || isLongBefore
    if (!isOf(NAME, code)) return false
  }
  return false
}

/** Whether the signs end the value for certain: a quote, an escape, the next command, the next field. */
function isSeam(text: string, joint: Joint, valueStart: number): boolean {
  const { signs, rest, end } = joint
  for (let index = signs; index < rest; index += 1) {
    const code = codeAt(text, index)
    if (code === BACKSLASH && ESCAPED.includes(text[index + 1] ?? '')) return true
    if (isOf(QUOTE, code) && (rest - signs > 1 || !isOf(ALPHANUMERIC, codeAt(text, rest)))) return true
  }
  const first = codeAt(text, signs)
  if (first === LESS && isTag(text, joint)) return true
  if ((rest - signs > 1 || ENDING.includes(text[signs] ?? '')) && isWord(text, rest, end)) return true
  return (first === AMPERSAND || first === SEMICOLON || first === COMMA) && isField(text, joint, valueStart)
}

/** The end of a value over the signs in it; -1 when it is longer than a password with signs. */
function reachOver(text: string, start: number, bareEnd: number): number {
  // Most values end before a blank, before a sign with a blank behind it, or before a quote.
  if (!isSign(codeAt(text, bareEnd)) || isOf(BLANK | QUOTE, codeAt(text, bareEnd + 1))) return bareEnd
  const limit = Math.min(text.length, start + LONGEST)
  let end = bareEnd
  while (end < limit) {
    const rest = isSign(text.charCodeAt(end)) ? afterSigns(text, end, limit) : end
    if (rest === end || rest - end > MOST_SIGNS) return end
    const next = endOfRun(BARE, text, rest, limit - rest)
    if (next === rest || isSeam(text, { signs: end, rest, end: next }, start)) return end
    end = next
  }
  return end < text.length && isOf(BARE, codeAt(text, end)) ? -1 : end
}

/**
 * Where a value ends that goes on behind signs which end one elsewhere, as far as they do not begin the next command or the next field;
 * at its end without them when nothing goes on, or too much.
 */
export function endWithSigns(text: string, start: number, bareEnd: number): number {
  return Math.max(bareEnd, reachOver(text, start, bareEnd))
}

export type EndWithSigns = (start: number, bareEnd: number) => number

/** The same for the values of one text, in their order: what was read for one of them is not read again for the names in it. */
export function createEndWithSigns(text: string): EndWithSigns {
  let readTo = 0

  return (start, bareEnd) => {
    if (start < readTo) return bareEnd
    const end = reachOver(text, start, bareEnd)
    readTo = end < 0 ? start + LONGEST : end
    return Math.max(bareEnd, end)
  }
}
