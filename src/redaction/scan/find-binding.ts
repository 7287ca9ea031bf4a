import {
  afterQuote,
  ALPHANUMERIC,
  BARE,
  BLANK,
  codeAt,
  DIGIT,
  endOfRun,
  isOf,
  LINK_WORD,
  LOWER,
  PAIR_SIGN,
  QUOTE,
  TIE_SIGN,
  TYPE,
  UPPER,
} from '../text/chars.ts'
import { pairLink } from './paired-fields.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { looksDrawn } from '../text/entropy.ts'
import type { AnnouncedName, Link, Tie } from './binding.ts'

/** Two characters as one number, so that words are told apart without being cut out. */
export function pairAt(text: string, index: number): number {
  return (codeAt(text, index) << 16) | codeAt(text, index + 1)
}

type Ties = readonly { readonly tie: Tie; readonly sticky: RegExp }[]

const assigned: Ties = [{ tie: 'assignment', sticky: pattern.assignment }]
const typed: Ties = [{ tie: 'assignment', sticky: pattern.typedAssignment }, ...assigned]
const fallback: Ties = [{ tie: 'assignment', sticky: pattern.fallback }]
const called: Ties = [{ tie: 'call', sticky: pattern.call }]
const closed: Ties = [
  ...assigned,
  { tie: 'argument', sticky: pattern.argument },
  ...fallback,
  { tie: 'assignment', sticky: pattern.variableDefault },
]
const apposed: Ties = [{ tie: 'apposition', sticky: pattern.apposition }]
const far: Ties = [{ tie: 'prose', sticky: pattern.farStatement }]
const stated: Ties = [...apposed, { tie: 'statement', sticky: pattern.statement }, ...far]
const declared: Ties = [{ tie: 'assignment', sticky: pattern.typedAssignment }]
const listed: Ties = [{ tie: 'element', sticky: pattern.listElement }]
const element: Ties = [{ tie: 'element', sticky: pattern.element }]
const flag: Ties = [{ tie: 'flag', sticky: pattern.flagGap }]
const none: Ties = []

/** What can follow a name, by the code of the first character after it that is no blank. */
const bySign = Array.from({ length: 128 }, (): Ties => none)
for (const sign of '=?.+|]*[\u001b') bySign[sign.charCodeAt(0)] = assigned
for (const sign of '?|') bySign[sign.charCodeAt(0)] = [...assigned, ...fallback]
bySign[']'.charCodeAt(0)] = [...assigned, ...fallback]
bySign['.'.charCodeAt(0)] = [...assigned, ...called]
bySign['('.charCodeAt(0)] = called
bySign[')'.charCodeAt(0)] = fallback
bySign[':'.charCodeAt(0)] = typed
bySign['<'.charCodeAt(0)] = listed
bySign['-'.charCodeAt(0)] = [...assigned, ...apposed]

/** What can follow a name and a blank, by the first two characters: `is`, `was`, `of`, or a type. */
const byWord: ReadonlyMap<number, Ties> = new Map([
  ...['is', 'wa', 'of', 'la', 'es', 'e ', 'è ', 'é '].map((word) => [pairAt(word, 0), stated] as const),
  [pairAt('or', 0), fallback],
  ...['fo', 'on', 'to', 'in', 'at'].map((word) => [pairAt(word, 0), far] as const),
  ...['st', 'St', 'te', 'ch', '&s', '[]'].map((word) => [pairAt(word, 0), declared] as const),
])

const TAB = 9
const NEWLINE = 10
const RETURN = 13
/** A terminal's colours stand between a name and its value. */
const ESCAPE = 27
const SPACE = 32
const OPENING = 40
const CLOSING = 41
const STAR = 42
const COMMA = 44
const DASH = 45
const COLON = 58
const LESS = 60
const EQUALS = 61
const GREATER = 62
const QUESTION = 63
const UNDERSCORE = 95
const BAR = 124

const BLANKS = 16

function afterBlanks(text: string, from: number): number {
  for (let next = from; next < from + BLANKS; next += 1) {
    const code = codeAt(text, next)
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
  const end = endOfRun(TYPE, text, from, codeAt(text, sign) === COLON ? TYPE_CHARS : TYPE_WORD_CHARS)
  return end < text.length && codeAt(text, end) === EQUALS
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
    if (end >= 0 && !(sticky === pattern.typedAssignment && looksDrawn(text.slice(sign + 1, end).trim())))
      return { tie, end: codeAt(text, end) === ESCAPE ? Math.max(end, endAt(pattern.colour, text, end)) : end }
  }
  return undefined
}

/** Behind a `:` or `=` that is no part of a longer sign: where the value begins; -1 when it takes a pattern to tell. */
function afterPlainSign(text: string, sign: number): number {
  const next = codeAt(text, sign + 1)
  if (next === COLON || next === EQUALS || next === GREATER || next === STAR) return -1
  const end = afterBlanks(text, sign + 1)
  const code = codeAt(text, end)
  return code === NEWLINE || code === RETURN || code === ESCAPE ? -1 : end
}

/** By far the most frequent, and told without a pattern: `name: value`, `"name": value`, `name = value`. */
function plainAssignment(text: string, { start, sign }: Gap): number {
  const code = codeAt(text, sign)
  if (code === EQUALS) return afterPlainSign(text, sign)
  if (code === COLON) return mayBeTyped(text, sign) ? -1 : afterPlainSign(text, sign)
  const isQuotedName = sign === start && isOf(QUOTE, code) && codeAt(text, sign + 1) === COLON
  return isQuotedName ? afterPlainSign(text, sign + 1) : -1
}

/** Behind a `=` without blanks: neither a longer sign, nor a blank, nor the text's end. */
function isValueAt(text: string, index: number): boolean {
  const code = codeAt(text, index)
  return index < text.length && code !== EQUALS && code !== GREATER && !isOf(BLANK, code)
}

const BACKSLASH = 92

/** What ties a value to a name with a quote behind it: of the name itself, or behind a blank, of the value. */
function quotedTies(text: string, { start, sign }: Gap): Ties {
  const end = afterQuote(text, sign)
  if (end < 0) return none
  if (sign > start) return apposed
  return isOf(TIE_SIGN, codeAt(text, afterBlanks(text, end))) ? closed : none
}

/** Whether a call or a fallback may begin with the bracket at a place: most brackets are told by one look behind them. */
function mayTie(text: string, sign: number, code: number): boolean {
  const next = codeAt(text, sign + 1)
  if (code === OPENING) return isOf(QUOTE | BLANK, next) || next === BACKSLASH
  return code !== CLOSING || next === SPACE || next === BAR || next === QUESTION
}

function tiesAt(text: string, gap: Gap, code: number): Ties {
  if ((code === OPENING || code === CLOSING) && !mayTie(text, gap.sign, code)) return none
  if (code === BACKSLASH || isOf(QUOTE, code)) return quotedTies(text, gap)
  const mayBeWord = gap.sign > gap.start && (isOf(LINK_WORD, code) || code >= bySign.length)
  const byFirstWord = mayBeWord ? byWord.get(pairAt(text, gap.sign)) : undefined
  return byFirstWord ?? (code < bySign.length ? bySign[code] : none) ?? none
}

function isInTag(text: string, { start }: AnnouncedName): boolean {
  return codeAt(text, start - 1) === LESS
}

function isFlag(text: string, { start, word }: AnnouncedName): boolean {
  return start < word && codeAt(text, start) === DASH
}

const PROSE_CHARS = 128
const PROSE_END = BLANK | QUOTE
const SHORTEST_PROSE = 8

function isCaseChange(text: string, index: number): boolean {
  return isOf(UPPER, codeAt(text, index)) && isOf(LOWER, codeAt(text, index - 1))
}

/** `the token x7Kq…`, `our client secret, x7Kq…,`: only what has a digit and is long enough is worth being judged. */
function proseLink(text: string, sign: number): Link | undefined {
  const start = codeAt(text, sign) === COMMA && codeAt(text, sign + 1) === SPACE ? sign + 2 : sign
  const first = codeAt(text, start)
  if (!isOf(ALPHANUMERIC, first) && !(isOf(BARE, first) && isOf(ALPHANUMERIC, codeAt(text, start + 1))))
    return undefined
  // Most words end before: two looks instead of one at every character.
  if (isOf(PROSE_END, codeAt(text, start + 5)) || isOf(PROSE_END, codeAt(text, start + 7))) return undefined
  const limit = Math.min(text.length, start + PROSE_CHARS)
  let isMixed = false
  let end = start
  for (; end < limit && !isOf(PROSE_END, codeAt(text, end)); end += 1)
    isMixed ||= isOf(DIGIT, codeAt(text, end)) || isCaseChange(text, end)
  return isMixed && end - start >= SHORTEST_PROSE ? { tie: 'prose', end: start } : undefined
}

/** What ties a value to a name, if anything does. */
export function linkAfter(text: string, name: AnnouncedName): Link | undefined {
  const start = name.end
  const sign = afterBlanks(text, start)
  if (sign >= text.length) return undefined
  const code = codeAt(text, sign)
  if (code === EQUALS && sign === start && isValueAt(text, sign + 1)) return { tie: 'assignment', end: sign + 1 }
  const gap = { start, sign }
  if (code === GREATER && isInTag(text, name)) return firstOf(element, text, gap)
  const plainEnd = plainAssignment(text, gap)
  if (plainEnd >= 0) return { tie: 'assignment', end: plainEnd }
  const link = (isOf(PAIR_SIGN, code) ? pairLink(text, name) : undefined) ?? firstOf(tiesAt(text, gap, code), text, gap)
  if (link) return link.tie === 'apposition' && isFlag(text, name) ? { ...link, tie: 'flag' } : link
  if (sign === start) return code === COMMA ? proseLink(text, sign) : undefined
  if (isFlag(text, name)) return firstOf(flag, text, gap)
  if (code !== BAR && codeAt(text, name.word - 1) !== UNDERSCORE) return proseLink(text, sign)
  return { tie: 'beside', end: code === BAR ? afterBlanks(text, sign + 1) : sign }
}
