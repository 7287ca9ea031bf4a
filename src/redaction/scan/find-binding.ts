import {
  afterQuote,
  ALPHANUMERIC,
  BARE,
  WHITESPACE,
  codeAt,
  DIGIT,
  endOfRun,
  isInClass,
  LINK_WORD,
  LOWER,
  PAIR_CHAR,
  QUOTE,
  BINDING_CHAR,
  TYPE,
  UPPER,
} from '../text/chars.ts'
import { findPairedBinding } from './paired-fields.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { looksRandomAfterName } from '../text/entropy.ts'

/** How a value is bound to its name. */
export type BindingKind =
  | 'assignment'
  | 'argument'
  | 'call'
  | 'apposition'
  | 'statement'
  | 'flag'
  | 'element'
  | 'pair'
  | 'beside'
  | 'prose'

export interface NameValueBinding {
  readonly binding: BindingKind
  /** Where the value begins. */
  readonly end: number
}

/** An identifier that contains a secret keyword. */
export interface SecretName {
  readonly start: number
  /** The start of the keyword: after `--db-` in `--db-password`. */
  readonly word: number
  readonly end: number
}

/** Two characters as one number, to compare words without slicing. */
export function pairAt(text: string, index: number): number {
  return (codeAt(text, index) << 16) | codeAt(text, index + 1)
}

type BindingPatterns = readonly { readonly binding: BindingKind; readonly sticky: RegExp }[]

const assigned: BindingPatterns = [{ binding: 'assignment', sticky: pattern.assignment }]
const typed: BindingPatterns = [{ binding: 'assignment', sticky: pattern.typedAssignment }, ...assigned]
const fallback: BindingPatterns = [{ binding: 'assignment', sticky: pattern.fallback }]
const called: BindingPatterns = [{ binding: 'call', sticky: pattern.call }]
const closed: BindingPatterns = [
  ...assigned,
  { binding: 'argument', sticky: pattern.argument },
  ...fallback,
  { binding: 'assignment', sticky: pattern.variableDefault },
]
const apposed: BindingPatterns = [{ binding: 'apposition', sticky: pattern.apposition }]
const far: BindingPatterns = [{ binding: 'prose', sticky: pattern.farStatement }]
const stated: BindingPatterns = [...apposed, { binding: 'statement', sticky: pattern.statement }, ...far]
const declared: BindingPatterns = [{ binding: 'assignment', sticky: pattern.typedAssignment }]
const listed: BindingPatterns = [{ binding: 'element', sticky: pattern.listElement }]
const element: BindingPatterns = [{ binding: 'element', sticky: pattern.element }]
const flag: BindingPatterns = [{ binding: 'flag', sticky: pattern.flagGap }]
const none: BindingPatterns = []

/** What can follow a name, by the code of the first non-whitespace character after it. */
const bySign = Array.from({ length: 128 }, (): BindingPatterns => none)
for (const sign of '=?.+|]*[\u001b') bySign[sign.charCodeAt(0)] = assigned
for (const sign of '?|') bySign[sign.charCodeAt(0)] = [...assigned, ...fallback]
bySign[']'.charCodeAt(0)] = [...assigned, ...fallback]
bySign['.'.charCodeAt(0)] = [...assigned, ...called]
bySign['('.charCodeAt(0)] = called
bySign[')'.charCodeAt(0)] = fallback
bySign[':'.charCodeAt(0)] = typed
bySign['<'.charCodeAt(0)] = listed
bySign['-'.charCodeAt(0)] = [...assigned, ...apposed]

/** What can follow a name and whitespace, by the first two characters: `is`, `was`, `of`, or a type. */
const byWord: ReadonlyMap<number, BindingPatterns> = new Map([
  ...['is', 'wa', 'of', 'la', 'es', 'e ', 'è ', 'é '].map((word) => [pairAt(word, 0), stated] as const),
  [pairAt('or', 0), fallback],
  ...['fo', 'on', 'to', 'in', 'at'].map((word) => [pairAt(word, 0), far] as const),
  ...['st', 'St', 'te', 'ch', '&s', '[]'].map((word) => [pairAt(word, 0), declared] as const),
])

const TAB = 9
const NEWLINE = 10
const RETURN = 13
/** Terminal colours may be between a name and its value. */
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

const MAX_SPACES = 16

function skipWhitespace(text: string, from: number): number {
  for (let next = from; next < from + MAX_SPACES; next += 1) {
    const code = codeAt(text, next)
    if (code !== SPACE && code !== TAB) return next
  }
  return from + MAX_SPACES
}

/** The longest type after a colon, with whitespace; and the longest without a colon. */
const TYPE_CHARS = 49
const TYPE_WORD_CHARS = 9

/** Whether a `=` ends what could be a type: a cheap check before a pattern that backtracks over prose. */
function mayBeTyped(text: string, sign: number): boolean {
  const from = sign + 1
  const end = endOfRun(TYPE, text, from, codeAt(text, sign) === COLON ? TYPE_CHARS : TYPE_WORD_CHARS)
  return end < text.length && codeAt(text, end) === EQUALS
}

/** The end of a name, and the first non-whitespace character after it. */
interface Gap {
  readonly start: number
  readonly sign: number
}

function matchFirst(patterns: BindingPatterns, text: string, { start, sign }: Gap): NameValueBinding | undefined {
  for (const { binding, sticky } of patterns) {
    if (sticky === pattern.typedAssignment && !mayBeTyped(text, sign)) continue
    const end = endAt(sticky, text, start)
    if (end >= 0 && !(sticky === pattern.typedAssignment && looksRandomAfterName(text.slice(sign + 1, end).trim())))
      return { binding, end: codeAt(text, end) === ESCAPE ? Math.max(end, endAt(pattern.colour, text, end)) : end }
  }
  return undefined
}

/** The start of the value after a `:` or `=` that is not part of a longer operator; -1 when a pattern has to decide. */
function afterPlainSign(text: string, sign: number): number {
  const next = codeAt(text, sign + 1)
  if (next === COLON || next === EQUALS || next === GREATER || next === STAR) return -1
  const end = skipWhitespace(text, sign + 1)
  const code = codeAt(text, end)
  return code === NEWLINE || code === RETURN || code === ESCAPE ? -1 : end
}

/** The most frequent forms, matched without a pattern: `name: value`, `"name": value`, `name = value`. */
function plainAssignment(text: string, { start, sign }: Gap): number {
  const code = codeAt(text, sign)
  if (code === EQUALS) return afterPlainSign(text, sign)
  if (code === COLON) return mayBeTyped(text, sign) ? -1 : afterPlainSign(text, sign)
  const isQuotedName = sign === start && isInClass(QUOTE, code) && codeAt(text, sign + 1) === COLON
  return isQuotedName ? afterPlainSign(text, sign + 1) : -1
}

/** After `=` without spaces: not a longer operator, whitespace or the end of the text. */
function isValueAt(text: string, index: number): boolean {
  const code = codeAt(text, index)
  return index < text.length && code !== EQUALS && code !== GREATER && !isInClass(WHITESPACE, code)
}

const BACKSLASH = 92

/** The patterns after a quote: the closing quote of the name or, after whitespace, the opening quote of the value. */
function selectQuotedPatterns(text: string, { start, sign }: Gap): BindingPatterns {
  const end = afterQuote(text, sign)
  if (end < 0) return none
  if (sign > start) return apposed
  return isInClass(BINDING_CHAR, codeAt(text, skipWhitespace(text, end))) ? closed : none
}

/** Whether a call or a fallback may start with this bracket: a cheap check of the next character. */
function mayBind(text: string, sign: number, code: number): boolean {
  const next = codeAt(text, sign + 1)
  if (code === OPENING) return isInClass(QUOTE | WHITESPACE, next) || next === BACKSLASH
  return code !== CLOSING || next === SPACE || next === BAR || next === QUESTION
}

function selectPatterns(text: string, gap: Gap, code: number): BindingPatterns {
  if ((code === OPENING || code === CLOSING) && !mayBind(text, gap.sign, code)) return none
  if (code === BACKSLASH || isInClass(QUOTE, code)) return selectQuotedPatterns(text, gap)
  const mayBeWord = gap.sign > gap.start && (isInClass(LINK_WORD, code) || code >= bySign.length)
  const byFirstWord = mayBeWord ? byWord.get(pairAt(text, gap.sign)) : undefined
  return byFirstWord ?? (code < bySign.length ? bySign[code] : none) ?? none
}

function isInTag(text: string, { start }: SecretName): boolean {
  return codeAt(text, start - 1) === LESS
}

function isFlag(text: string, { start, word }: SecretName): boolean {
  return start < word && codeAt(text, start) === DASH
}

const PROSE_CHARS = 128
const PROSE_END = WHITESPACE | QUOTE
const SHORTEST_PROSE = 8

function isCaseChange(text: string, index: number): boolean {
  return isInClass(UPPER, codeAt(text, index)) && isInClass(LOWER, codeAt(text, index - 1))
}

/** `the token x7Kq…`, `our client secret, x7Kq…,`: only long values with a digit are judged. */
function findProseBinding(text: string, sign: number): NameValueBinding | undefined {
  const start = codeAt(text, sign) === COMMA && codeAt(text, sign + 1) === SPACE ? sign + 2 : sign
  const first = codeAt(text, start)
  if (!isInClass(ALPHANUMERIC, first) && !(isInClass(BARE, first) && isInClass(ALPHANUMERIC, codeAt(text, start + 1))))
    return undefined
  // Most words end earlier: two checks instead of one per character.
  if (isInClass(PROSE_END, codeAt(text, start + 5)) || isInClass(PROSE_END, codeAt(text, start + 7))) return undefined
  const limit = Math.min(text.length, start + PROSE_CHARS)
  let isMixed = false
  let end = start
  for (; end < limit && !isInClass(PROSE_END, codeAt(text, end)); end += 1)
    isMixed ||= isInClass(DIGIT, codeAt(text, end)) || isCaseChange(text, end)
  return isMixed && end - start >= SHORTEST_PROSE ? { binding: 'prose', end: start } : undefined
}

/** What binds a value to a name, if anything does. */
export function findBinding(text: string, name: SecretName): NameValueBinding | undefined {
  const start = name.end
  const sign = skipWhitespace(text, start)
  if (sign >= text.length) return undefined
  const code = codeAt(text, sign)
  if (code === EQUALS && sign === start && isValueAt(text, sign + 1)) return { binding: 'assignment', end: sign + 1 }
  const gap = { start, sign }
  if (code === GREATER && isInTag(text, name)) return matchFirst(element, text, gap)
  const plainEnd = plainAssignment(text, gap)
  if (plainEnd >= 0) return { binding: 'assignment', end: plainEnd }
  const link =
    (isInClass(PAIR_CHAR, code) ? findPairedBinding(text, name) : undefined) ??
    matchFirst(selectPatterns(text, gap, code), text, gap)
  if (link) return link.binding === 'apposition' && isFlag(text, name) ? { ...link, binding: 'flag' } : link
  if (sign === start) return code === COMMA ? findProseBinding(text, sign) : undefined
  if (isFlag(text, name)) return matchFirst(flag, text, gap)
  if (code !== BAR && codeAt(text, name.word - 1) !== UNDERSCORE) return findProseBinding(text, sign)
  return { binding: 'beside', end: code === BAR ? skipWhitespace(text, sign + 1) : sign }
}
