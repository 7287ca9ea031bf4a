import {
  ALPHANUMERIC,
  BARE,
  WHITESPACE,
  codeAt,
  DIGIT,
  endOfRun,
  isInClass,
  LETTER,
  LOWER,
  NAME,
  QUOTE,
} from '../text/chars.ts'
import { randomBits } from '../text/letter-odds.ts'

/** The longest password with punctuation that ends a value elsewhere. */
const LONGEST = 64
/** Punctuation characters in a row inside a password; more of them are code. */
const MOST_SIGNS = 4
const SHORTEST_WORD = 3
const WORD_BITS = -2
/** A value this long may be followed by a field with a one-letter name. */
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
/** Characters that a backslash escapes: quotes, newline, tab, numeric escapes. */
const ESCAPED = '"\'`\\nrtbfu0x/'
/** After one of these, a word is another word or the surrounding code. */
const ENDING = ',;)]}>"\'`'

function isSign(code: number): boolean {
  return code !== ESCAPE && !isInClass(BARE | WHITESPACE, code)
}

function isWord(text: string, start: number, end: number): boolean {
  return end - start >= SHORTEST_WORD && randomBits(text.slice(start, end)) <= WORD_BITS
}

/** `</code>`, `<br>`: a tag after the value. */
function isTag(text: string, { rest, end }: Joint): boolean {
  return codeAt(text, end) === GREATER && endOfRun(LOWER | DIGIT, text, rest, end - rest) === end
}

/** Skips punctuation. */
function afterSigns(text: string, from: number, limit: number): number {
  let index = from
  while (index < limit && index - from <= MOST_SIGNS) {
    const code = text.charCodeAt(index)
    if (isInClass(ALPHANUMERIC | WHITESPACE, code) || code === ESCAPE) return index
    index += 1
  }
  return index
}

/** A value followed by punctuation and by more text that could belong to it. */
interface Joint {
  readonly signs: number
  readonly rest: number
  readonly end: number
}

/** `,db=d`, `;Server=db`, `&user=bob`: the next field. */
function isField(text: string, { signs, rest: start, end }: Joint, valueStart: number): boolean {
  const isLongBefore = signs - valueStart >= SHORTEST_VALUE
  if (!isInClass(LETTER, codeAt(text, start))) return false
  for (let index = start + 1; index < end; index += 1) {
    const code = codeAt(text, index)
    if (code === EQUALS || code === COLON) return index - start > 2 || isLongBefore
    if (!isInClass(NAME, code)) return false
  }
  return false
}

/** Whether the punctuation certainly ends the value: a quote, an escape, the next command or field. */
function isSeam(text: string, joint: Joint, valueStart: number): boolean {
  const { signs, rest, end } = joint
  for (let index = signs; index < rest; index += 1) {
    const code = codeAt(text, index)
    if (code === BACKSLASH && ESCAPED.includes(text[index + 1] ?? '')) return true
    if (isInClass(QUOTE, code) && (rest - signs > 1 || !isInClass(ALPHANUMERIC, codeAt(text, rest)))) return true
  }
  const first = codeAt(text, signs)
  if (first === LESS && isTag(text, joint)) return true
  if ((rest - signs > 1 || ENDING.includes(text[signs] ?? '')) && isWord(text, rest, end)) return true
  return (first === AMPERSAND || first === SEMICOLON || first === COMMA) && isField(text, joint, valueStart)
}

/** The end of a value across punctuation; -1 when it is too long. */
function reachOver(text: string, start: number, bareEnd: number): number {
  // Most values end before whitespace, before punctuation with whitespace after it, or before a quote.
  if (!isSign(codeAt(text, bareEnd)) || isInClass(WHITESPACE | QUOTE, codeAt(text, bareEnd + 1))) return bareEnd
  const limit = Math.min(text.length, start + LONGEST)
  let end = bareEnd
  while (end < limit) {
    const rest = isSign(text.charCodeAt(end)) ? afterSigns(text, end, limit) : end
    if (rest === end || rest - end > MOST_SIGNS) return end
    const next = endOfRun(BARE, text, rest, limit - rest)
    if (next === rest || isSeam(text, { signs: end, rest, end: next }, start)) return end
    end = next
  }
  return end < text.length && isInClass(BARE, codeAt(text, end)) ? -1 : end
}

/**
 * The end of a value that continues after punctuation which ends a value elsewhere, up to the next command or field;
 * `bareEnd` when it does not continue, or is too long.
 */
export function endWithPunctuation(text: string, start: number, bareEnd: number): number {
  return Math.max(bareEnd, reachOver(text, start, bareEnd))
}

export type EndWithPunctuation = (start: number, bareEnd: number) => number

/** The same for the values of one text, in order: nothing is read twice. */
export function createPunctuationReader(text: string): EndWithPunctuation {
  let readTo = 0

  return (start, bareEnd) => {
    if (start < readTo) return bareEnd
    const end = reachOver(text, start, bareEnd)
    readTo = end < 0 ? start + LONGEST : end
    return Math.max(bareEnd, end)
  }
}
