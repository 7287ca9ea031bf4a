import { BLANK, isOf, LETTER, NAME, QUOTE } from './chars.ts'
import { namingFieldAt, pairAt } from './links.ts'
import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import { looksRandom } from './texture.ts'
import type { NameStrength } from './value.ts'
import { isSecretBehindName } from './value.ts'

const PAIR_CHARS = 320
const NEWLINE = 10
const SPACE = 32
const OPENING = 40
const DASH = 45
const DOT = 46
const COLON = 58
const LEFTWARDS = 0x2190
/** The shortest announcing word of a note: `token`; what is shorter is met in code too often. */
const SHORTEST_NAME = 5
const SHORTEST_TOKEN = 16
const LONGEST_VALUE = 64

/** A name that announces a secret, its value still to be found. */
export interface Announced {
  readonly start: number
  readonly end: number
  readonly strength: NameStrength
}

/** What a note has in front of the name; without one of them it is none. */
const describing = new Set(
  'the my our your their a an this new old db database admin root api access auth user login ssh staging prod production test master wifi account'.split(
    ' ',
  ),
)
const LONGEST_DESCRIBING = 10

/** `for`, `of`, `to`, `on`, `in`, `at`, `and` or `here`, by their first two characters. */
const goingOn = new Set(['fo', 'of', 'to', 'on', 'in', 'at', 'an', 'he'].map((word) => pairAt(word, 0)))

/** Whether the name is the note's last word, as far as the next character tells. */
function mayBeLast(text: string, end: number): boolean {
  const code = text.charCodeAt(end)
  if (code !== SPACE) return !isOf(NAME, code) || code === DOT
  const next = text.charCodeAt(end + 1)
  return next === OPENING || next === NEWLINE || goingOn.has(pairAt(text, end + 1))
}

/** Where the word of letters begins that ends at a place; the place itself when there is none. */
function wordStart(text: string, end: number): number {
  const limit = Math.max(0, end - LONGEST_DESCRIBING)
  let start = end
  while (start > limit && isOf(LETTER, text.charCodeAt(start - 1))) start -= 1
  return start
}

function isDescribed(text: string, start: number): boolean {
  const end = start - 1
  const word = wordStart(text, end)
  return word < end && describing.has(text.slice(word, end).toLowerCase())
}

function mayEndNote(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) === OPENING) return true
  const before = text.charCodeAt(start - 2)
  return before === DASH || before === LEFTWARDS || isDescribed(text, start)
}

/** Whether a value may stand before the name that begins at a place: all but few names are done with here. */
export function mayStandBehind(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start - 1)
  if (isOf(QUOTE, code) || (code === SPACE && text.charCodeAt(start - 2) === COLON)) return true
  return (code === SPACE || code === OPENING) && mayBeLast(text, end) && mayEndNote(text, start)
}

const MOST_DESCRIBING = 3

/** Before the words that describe the name. */
function beforeDescription(text: string, start: number): number {
  let index = start
  for (let count = 0; count < MOST_DESCRIBING && text[index - 1] === ' ' && isDescribed(text, index); count += 1)
    index = wordStart(text, index - 1)
  return index
}

function skipBlanks(text: string, end: number): number {
  let index = end
  while (index > 0 && end - index < 4 && (text[index - 1] === ' ' || text[index - 1] === '\t')) index -= 1
  return index
}

const signs = ['<-', '->', '=', '\u2190', '\u2192', '\u2013', '\u2014', ' -', ' is', ' was', ' as']
/** The last character of each. */
const SIGN_ENDS = '->=\u2190\u2192\u2013\u2014s'
/** These say by themselves that a description follows; the others stand in code too. */
const pointing = new Set(['<-', '\u2190'])

/** Where the value ends that a note is about; undefined when nothing ties it to the name. */
function notedEnd(text: string, start: number): number | undefined {
  const index = beforeDescription(text, start)
  if (text.charCodeAt(index - 1) === OPENING) return skipBlanks(text, index - 1)
  const tied = skipBlanks(text, index)
  if (!SIGN_ENDS.includes(text[tied - 1] ?? ' ')) return undefined
  const sign = signs.find((one) => text.endsWith(one, tied))
  if (tied === index || sign === undefined || (index === start && !pointing.has(sign))) return undefined
  return skipBlanks(text, tied - sign.trimStart().length)
}

/** The characters that no noted value holds: brackets, quotes and the signs of code. */
const NOT_NOTED = '"\'`()<>\\,;='

function valueStart(text: string, end: number): number {
  let start = end
  while (start > 0 && end - start <= LONGEST_VALUE) {
    if (isOf(BLANK, text.charCodeAt(start - 1)) || NOT_NOTED.includes(text[start - 1] ?? ' ')) return start
    start -= 1
  }
  return start
}

/** Behind what is no part of the value: the letter of an escaped line end, the sign of a changed line, a line's number. */
function afterMargin(text: string, start: number): number {
  return start + (pattern.noteMargin.exec(text.slice(Math.max(0, start - 1), start + 12))?.[1]?.length ?? 0)
}

/** `hunter2 = the password`, `x7Kq… (api token)`: a note that says afterwards what it was. */
function noteSpan(text: string, { start, end, strength }: Announced): Span | undefined {
  const noted = notedEnd(text, start)
  if (noted === undefined || noted === start || !pattern.noteEnd.test(text.slice(end, end + 12))) return undefined
  const valueEnd = isOf(QUOTE, text.charCodeAt(noted - 1)) ? noted - 1 : noted
  const from = afterMargin(text, valueStart(text, valueEnd))
  const value = text.slice(from, valueEnd)
  if (value.length > LONGEST_VALUE || pattern.technical.test(value)) return undefined
  if (strength !== 'password' && (value.length < SHORTEST_TOKEN || !looksRandom(value))) return undefined
  if (!isSecretBehindName({ value, strength, isLiteral: false })) return undefined
  return { start: from, end: valueEnd, kind: strength === 'password' ? 'password' : 'secret' }
}

/** `"value": "…", "name": "API_TOKEN"`: the other way round than one would write it. */
function pairSpan(text: string, { start, strength }: Announced): Span | undefined {
  const field = namingFieldAt(text, start)
  if (field < 0) return undefined
  const from = Math.max(0, field - PAIR_CHARS)
  const front = text.slice(from, field)
  const found = front.includes('alue') ? pattern.pairBefore.exec(front) : null
  const value = found?.[1] ?? ''
  if (found === null || !isSecretBehindName({ value, strength, isLiteral: true })) return undefined
  const valueFrom = from + found.index + found[0].indexOf(value)
  return { start: valueFrom, end: valueFrom + value.length, kind: strength === 'password' ? 'password' : 'secret' }
}

/** The secret that stands before its name. */
export function spanBefore(text: string, announced: Announced): Span | undefined {
  const isWord = announced.end - announced.start >= SHORTEST_NAME
  return (isWord ? noteSpan(text, announced) : undefined) ?? pairSpan(text, announced)
}
