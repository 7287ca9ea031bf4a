import { ALPHANUMERIC, BARE, BLANK, DIGIT, endOfRun, isOf, LETTER, LINK_WORD, PAIR_SIGN, QUOTE, TYPE } from './chars.ts'
import { nameStart } from './name.ts'
import { endAt, pattern } from './patterns.ts'

/** How a value is tied to its name. */
export type Tie =
  | 'assignment'
  | 'argument'
  | 'apposition'
  | 'statement'
  | 'flag'
  | 'element'
  | 'pair'
  | 'beside'
  | 'prose'

export interface Link {
  readonly tie: Tie
  /** Where the value begins. */
  readonly end: number
}

/** Two characters as one number, so that words are told apart without being cut out. */
export function pairAt(text: string, index: number): number {
  return (text.charCodeAt(index) << 16) | text.charCodeAt(index + 1)
}

type Ties = readonly { readonly tie: Tie; readonly sticky: RegExp }[]

const assigned: Ties = [{ tie: 'assignment', sticky: pattern.assignment }]
const typed: Ties = [{ tie: 'assignment', sticky: pattern.typedAssignment }, ...assigned]
const quoted: Ties = [
  ...assigned,
  { tie: 'argument', sticky: pattern.argument },
  { tie: 'apposition', sticky: pattern.apposition },
]
const far: Ties = [{ tie: 'prose', sticky: pattern.farStatement }]
const stated: Ties = [
  { tie: 'apposition', sticky: pattern.apposition },
  { tie: 'statement', sticky: pattern.statement },
  ...far,
]
const paired: Ties = [
  { tie: 'pair', sticky: pattern.pairValue },
  { tie: 'element', sticky: pattern.pairElement },
]
const declared: Ties = [{ tie: 'assignment', sticky: pattern.typedAssignment }]
const listed: Ties = [{ tie: 'element', sticky: pattern.listElement }]
const element: Ties = [{ tie: 'element', sticky: pattern.element }]
const flag: Ties = [{ tie: 'flag', sticky: pattern.flagGap }]
const none: Ties = []

/** What can follow a name, by the code of the first character after it that is no blank. */
const bySign = Array.from({ length: 128 }, (): Ties => none)
for (const sign of '=?.+|]*[\u001b') bySign[sign.charCodeAt(0)] = assigned
for (const sign of '"\'`\\') bySign[sign.charCodeAt(0)] = quoted
bySign[':'.charCodeAt(0)] = typed
bySign['<'.charCodeAt(0)] = listed
bySign['-'.charCodeAt(0)] = [...assigned, { tie: 'apposition', sticky: pattern.apposition }]

/** What can follow a name and a blank, by the first two characters: `is`, `was`, `of`, or a type. */
const byWord: ReadonlyMap<number, Ties> = new Map([
  ...['is', 'wa', 'of'].map((word) => [pairAt(word, 0), stated] as const),
  ...['fo', 'on', 'to', 'in', 'at'].map((word) => [pairAt(word, 0), far] as const),
  ...['st', 'St', 'te', 'ch', '&s', '[]'].map((word) => [pairAt(word, 0), declared] as const),
])

const TAB = 9
const NEWLINE = 10
const RETURN = 13
/** A terminal's colours stand between a name and its value. */
const ESCAPE = 27
const SPACE = 32
const STAR = 42
const COMMA = 44
const DASH = 45
const COLON = 58
const LESS = 60
const EQUALS = 61
const GREATER = 62
const UNDERSCORE = 95
const BAR = 124

const BLANKS = 16

function afterBlanks(text: string, from: number): number {
  for (let next = from; next < from + BLANKS; next += 1) {
    const code = text.charCodeAt(next)
    if (code !== SPACE && code !== TAB) return next
  }
  return from + BLANKS
}

/** The longest type behind a colon, with the blanks around it; and the longest that stands there without one. */
const TYPE_CHARS = 49
const TYPE_WORD_CHARS = 9

/** Whether a `=` ends what could be a type: the pattern that reads one goes back and forth over every word of prose. */
function mayBeTyped(text: string, sign: number): boolean {
  const from = sign + 1
  const end = endOfRun(TYPE, text, from, text.charCodeAt(sign) === COLON ? TYPE_CHARS : TYPE_WORD_CHARS)
  return end < text.length && text.charCodeAt(end) === EQUALS
}

/** Where a name ends, and the first character behind it that is no blank. */
interface Gap {
  readonly start: number
  readonly sign: number
}

function firstOf(ties: Ties, text: string, { start, sign }: Gap): Link | undefined {
  for (const { tie, sticky } of ties) {
    if (sticky === pattern.typedAssignment && !mayBeTyped(text, sign)) continue
    const end = endAt(sticky, text, start)
    if (end >= 0)
      return { tie, end: text.charCodeAt(end) === ESCAPE ? Math.max(end, endAt(pattern.colour, text, end)) : end }
  }
  return undefined
}

/** Behind a `:` or `=` that is no part of a longer sign: where the value begins; -1 when it takes a pattern to tell. */
function afterPlainSign(text: string, sign: number): number {
  const next = text.charCodeAt(sign + 1)
  if (next === COLON || next === EQUALS || next === GREATER || next === STAR) return -1
  const end = afterBlanks(text, sign + 1)
  const code = text.charCodeAt(end)
  return code === NEWLINE || code === RETURN || code === ESCAPE ? -1 : end
}

/** By far the most frequent, and told without a pattern: `name: value`, `"name": value`, `name = value`. */
function plainAssignment(text: string, { start, sign }: Gap): number {
  const code = text.charCodeAt(sign)
  if (code === EQUALS) return afterPlainSign(text, sign)
  if (code === COLON) return mayBeTyped(text, sign) ? -1 : afterPlainSign(text, sign)
  const isQuotedName = sign === start && isOf(QUOTE, code) && text.charCodeAt(sign + 1) === COLON
  return isQuotedName ? afterPlainSign(text, sign + 1) : -1
}

/** Behind a `=` without blanks: neither a longer sign, nor a blank, nor the text's end. */
function isValueCode(code: number): boolean {
  return code >= 0 && code !== EQUALS && code !== GREATER && !isOf(BLANK, code)
}

function isInTag(text: string, word: number): boolean {
  return text.charCodeAt(nameStart(text, word) - 1) === LESS
}

function isFlag(text: string, word: number): boolean {
  const start = nameStart(text, word)
  return start < word && text.charCodeAt(start) === DASH
}

/** Fields that name the one beside them. */
const namingFields = new Set(['name', 'key', 'id', 'variable', 'setting'])
const LONGEST_FIELD = 8
const MOST_SIGNS = 24
const BACKSLASH = 92

/** Before the quotes, backslashes and blanks that end at a place. */
function beforeSigns(text: string, end: number): number {
  const limit = Math.max(0, end - MOST_SIGNS)
  let index = end
  while (index > limit && (isOf(QUOTE | BLANK, text.charCodeAt(index - 1)) || text.charCodeAt(index - 1) === BACKSLASH))
    index -= 1
  return index
}

/** Where the field begins that a name is itself the value of, as in `<add key="ApiSecret"` and `- name: DB_PASSWORD`; -1 for any other. */
export function namingFieldAt(text: string, name: number): number {
  const before = text.charCodeAt(name - 1)
  if (!isOf(QUOTE, before) && before !== SPACE) return -1
  const sign = beforeSigns(text, name)
  const code = text.charCodeAt(sign - 1)
  if (code !== COLON && code !== EQUALS) return -1
  const end = beforeSigns(text, sign - 1)
  let start = end
  while (start > 0 && end - start <= LONGEST_FIELD && isOf(LETTER, text.charCodeAt(start - 1))) start -= 1
  return namingFields.has(text.slice(start, end).toLowerCase()) ? start : -1
}

const PROSE_CHARS = 128
const SHORTEST_PROSE = 8

/** `the token x7Kq…`, `our client secret, x7Kq…,`: only what has a digit and is long enough is worth being judged. */
function proseLink(text: string, sign: number): Link | undefined {
  const start = text.charCodeAt(sign) === COMMA && text.charCodeAt(sign + 1) === SPACE ? sign + 2 : sign
  if (!isOf(ALPHANUMERIC, text.charCodeAt(start))) return undefined
  // Most words end before: two looks instead of one at every character.
  if (!isOf(BARE, text.charCodeAt(start + 5)) || !isOf(BARE, text.charCodeAt(start + 7))) return undefined
  const end = endOfRun(BARE, text, start, PROSE_CHARS)
  if (end - start < SHORTEST_PROSE) return undefined
  for (let index = start; index < end; index += 1)
    if (isOf(DIGIT, text.charCodeAt(index))) return { tie: 'prose', end: start }
  return undefined
}

/** What ties a value to the name that ends at `start`, if anything does; its announcing word begins at `word`. */
export function linkAfter(text: string, word: number, start: number): Link | undefined {
  const sign = afterBlanks(text, start)
  if (sign >= text.length) return undefined
  const code = text.charCodeAt(sign)
  if (code === EQUALS && sign === start && isValueCode(text.charCodeAt(sign + 1)))
    return { tie: 'assignment', end: sign + 1 }
  const gap = { start, sign }
  if (code === GREATER && isInTag(text, word)) return firstOf(element, text, gap)
  const plainEnd = plainAssignment(text, gap)
  if (plainEnd >= 0) return { tie: 'assignment', end: plainEnd }
  if (isOf(PAIR_SIGN, code) && namingFieldAt(text, nameStart(text, word)) >= 0) {
    const pair = firstOf(paired, text, gap)
    if (pair) return pair
  }
  const byFirstWord = sign > start && isOf(LINK_WORD, code) ? byWord.get(pairAt(text, sign)) : undefined
  const link = firstOf(byFirstWord ?? bySign[code] ?? none, text, gap)
  if (link) return link
  if (sign === start) return code === COMMA ? proseLink(text, sign) : undefined
  if (isFlag(text, word)) return firstOf(flag, text, gap)
  if (text.charCodeAt(word - 1) !== UNDERSCORE) return proseLink(text, sign)
  return { tie: 'beside', end: code === BAR ? afterBlanks(text, sign + 1) : sign }
}
