import {
  afterQuote,
  AHEAD_CHAR,
  ALPHANUMERIC,
  WHITESPACE,
  codeAt,
  FIELD_END,
  isInClass,
  LETTER,
  QUOTE,
  small,
} from '../text/chars.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import type { SecretName, NameValueBinding } from './find-binding.ts'
import { type NameStrength, isSecretBehindName } from '../rules/secret-value.ts'

const NEWLINE = 10
const SPACE = 32
const COMMA = 44
const COLON = 58
const EQUALS = 61
const GREATER = 62
const BACKSLASH = 92
const UNDERSCORE = 95

/** Fields that name the value in another field. */
const namingFields = new Set(['name', 'key', 'id', 'variable', 'setting'])
const SHORTEST_FIELD = 2
const LONGEST_FIELD = 8
const MOST_SIGNS = 24

/** Skips back over quotes, backslashes and whitespace. */
function beforeSigns(text: string, end: number): number {
  const limit = Math.max(0, end - MOST_SIGNS)
  let index = end
  while (index > limit) {
    const code = codeAt(text, index - 1)
    if (!isInClass(QUOTE | WHITESPACE, code) && code !== BACKSLASH) return index
    index -= 1
  }
  return index
}

/** The start of the field whose value is the name, as in `<add key="ApiSecret"` and `- name: DB_PASSWORD`; -1 otherwise. */
function namingFieldAt(text: string, name: number): number {
  const before = codeAt(text, name - 1)
  if (!isInClass(QUOTE, before) && before !== SPACE) return -1
  const sign = beforeSigns(text, name)
  const code = codeAt(text, sign - 1)
  if (code !== COLON && code !== EQUALS) return -1
  const end = beforeSigns(text, sign - 1)
  let start = end
  while (start > 0 && end - start <= LONGEST_FIELD && isInClass(LETTER, codeAt(text, start - 1))) start -= 1
  if (end - start < SHORTEST_FIELD || end - start > LONGEST_FIELD || !isInClass(FIELD_END, codeAt(text, end - 1)))
    return -1
  return namingFields.has(text.slice(start, end).toLowerCase()) ? start : -1
}

/** How far after a name and its closing quote the value is searched for. */
const AHEAD_CHARS = 80

function isWordSign(code: number): boolean {
  return isInClass(ALPHANUMERIC, code) || code === UNDERSCORE
}

const SMALL_A = 97
const SMALL_L = 108

/** The start of the value of a field called `value` at an index; -1 when there is none. */
function fieldValueAt(text: string, index: number): number {
  // Two more letters rule out nearly all other words that start with v, without a pattern.
  if (small(codeAt(text, index + 1)) !== SMALL_A || small(codeAt(text, index + 2)) !== SMALL_L) return -1
  return isWordSign(codeAt(text, index - 1)) ? -1 : endAt(pattern.pairValue, text, index)
}

/** The value of the field or element after the one with the name: `key="ApiSecret" value="…"`. */
export function findPairedBinding(text: string, name: SecretName): NameValueBinding | undefined {
  if (namingFieldAt(text, name.start) < 0) return undefined
  const closed = afterQuote(text, name.end)
  const limit = Math.min(text.length - 1, Math.max(name.end, closed) + AHEAD_CHARS)
  let isOneLine = closed >= 0
  for (let index = name.end; index <= limit; index += 1) {
    const code = text.charCodeAt(index)
    if (!isInClass(AHEAD_CHAR, code)) continue
    if (isInClass(LETTER, code)) {
      const end = fieldValueAt(text, index)
      if (end >= 0) return { binding: 'pair', end }
    } else if (code === NEWLINE) isOneLine = false
    else {
      const end = isOneLine && code === GREATER ? endAt(pattern.pairElement, text, index) : -1
      return end < 0 ? undefined : { binding: 'element', end }
    }
  }
  return undefined
}

const BEFORE_CHARS = 320

/** Whether a name is the value of a field and not a word of code: `"name": "token"`, `name: token`. */
function isFieldValue(text: string, { start }: SecretName): boolean {
  const before = codeAt(text, start - 1)
  return isInClass(QUOTE, before) || (before === SPACE && codeAt(text, start - 2) === COLON)
}

/** Whether another field's value may end before this field: a closing quote, then whitespace or a comma. */
function mayFollowField(text: string, field: number): boolean {
  let index = field
  if (isInClass(QUOTE, codeAt(text, index - 1))) index -= 1
  while (codeAt(text, index - 1) === BACKSLASH) index -= 1
  const gap = index
  while (index > 0 && (isInClass(WHITESPACE, codeAt(text, index - 1)) || codeAt(text, index - 1) === COMMA)) index -= 1
  return index < gap && isInClass(QUOTE, codeAt(text, index - 1))
}

/** The start of the field of a name whose value may be in the field before; -1 otherwise. */
export function fieldBehindValue(text: string, name: SecretName): number {
  const field = isFieldValue(text, name) ? namingFieldAt(text, name.start) : -1
  return field >= 0 && mayFollowField(text, field) ? field : -1
}

/** `"value": "…", "name": "API_TOKEN"`: value before name. */
export function pairSpanBefore(text: string, field: number, strength: NameStrength): Span | undefined {
  const from = Math.max(0, field - BEFORE_CHARS)
  const front = text.slice(from, field)
  const found = front.includes('alue') ? pattern.pairBefore.exec(front) : null
  const value = found?.[1] ?? ''
  if (found === null || !isSecretBehindName({ value, strength, isLiteral: true })) return undefined
  const valueFrom = from + found.index + found[0].indexOf(value)
  return { start: valueFrom, end: valueFrom + value.length, kind: strength === 'password' ? 'password' : 'secret' }
}
