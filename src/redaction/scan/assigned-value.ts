import {
  afterQuote,
  BARE,
  WHITESPACE,
  CDATA,
  codeAt,
  endOfRun,
  ENV,
  isInClass,
  QUOTE,
  QUOTE_PREFIX,
  SCHEME,
  SPELT,
  UPPER,
  type FindNext,
  FIELD_VALUE,
  SETTING_CHAR,
} from '../text/chars.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { type Span, isMarkAt } from '../text/span.ts'
import { looksRandomAfterName, looksRandom } from '../text/entropy.ts'
import type { BindingKind } from './find-binding.ts'
import {
  type NameStrength,
  isRandomWithPunctuation,
  isPlaceholder,
  isSecretBehindName,
  isVariable,
} from '../rules/secret-value.ts'
import { isNewline } from './key-lines.ts'
import type { EndWithPunctuation } from './value-end.ts'

const SEMICOLON = 59
const EQUALS = 61

/** Longest flag that takes a setting, with what may be between flag and setting. */
const SETTING_FLAG_CHARS = 32
/** Longest value and name of the preceding field in a connection string. */
const FIELD_VALUE_CHARS = 80
const FIELD_NAME_CHARS = 16

function endsWith(ending: RegExp, text: string, end: number, chars: number): boolean {
  return ending.test(text.slice(Math.max(0, end - chars), end))
}

/** `host=db password=swordfish`, `Uid=app;Pwd=swordfish`: after another field of a connection string. */
function followsField(text: string, start: number): boolean {
  let end = start
  if (isInClass(WHITESPACE, codeAt(text, end - 1))) end -= 1
  if (codeAt(text, end - 1) === SEMICOLON) end -= 1
  if (end === start) return false
  let sign = end
  while (end - sign <= FIELD_VALUE_CHARS && isInClass(FIELD_VALUE, codeAt(text, sign - 1))) sign -= 1
  if (sign === end || codeAt(text, sign - 1) !== EQUALS) return false
  return endsWith(pattern.connectionField, text, sign - 1, FIELD_NAME_CHARS)
}

/** `--password=swordfish`, `--set db.password=swordfish`, `host=db password=swordfish`: decided by what precedes the name and how the name starts. */
function isSetting(text: string, start: number, before: string): boolean {
  if (before.startsWith('--') || before.includes('TF_VAR_')) return true
  if (!isInClass(SETTING_CHAR, codeAt(text, start - 1))) return false
  return endsWith(pattern.settingFlag, text, start, SETTING_FLAG_CHARS) || followsField(text, start)
}

/** The part of a value that is read. */
export const VALUE_CHARS = 4_096
/** The part of a quoted text whose words are checked. */
const WORDS_CHARS = 512
const SHORTEST_PASSWORD = 4
const SHORTEST_SECRET = 8
const SHORTEST_WORD = 16
const SHORTEST_TOKEN = 10

/** A name with a secret keyword, and the start of the value bound to it. */
export interface BoundName {
  readonly start: number
  readonly end: number
  /** The part of the name before the keyword: `--db-` in `--db-password`. */
  readonly before: string
  readonly strength: NameStrength
  readonly binding: BindingKind
  readonly valueStart: number
}

/** Shared: nearly every value yields no span. */
const none: readonly Span[] = []

const TAB = 9
const NEWLINE = 10
const SPACE = 32
const BACKSLASH = 92

/** The range of a value's opening quote; longer than one character where it is escaped. */
interface Quote {
  readonly start: number
  readonly end: number
}

/** The end of a quoted value: before the closing quote, or before the newline when there is none. */
function findClosingQuote(text: string, from: number, quote: Quote): number {
  const limit = Math.min(text.length, from + VALUE_CHARS)
  const sign = codeAt(text, quote.end - 1)
  const escapes = quote.end - quote.start - 1
  for (let index = from; index < limit; index += 1) {
    const code = codeAt(text, index)
    if (code === NEWLINE || (code === sign && escapes === 0)) return index
    if (code !== BACKSLASH) continue
    const run = index
    while (codeAt(text, index + 1) === BACKSLASH) index += 1
    const count = index + 1 - run
    // A quote with more backslashes than the opening one belongs to the value.
    if (escapes > 0 && count === escapes && codeAt(text, index + 1) === sign) return run
    if (count % 2 === 1 || escapes > 0) index += 1
  }
  return limit
}

function isLiteralBinding({ binding, before, strength }: BoundName): boolean {
  if (strength === 'pass') return binding === 'assignment' || (binding === 'flag' && before.startsWith('--'))
  if (binding === 'flag') return strength === 'password'
  return binding === 'assignment' || binding === 'argument' || binding === 'pair'
}

function describeKind({ strength }: BoundName): string {
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}

/** Judges the words of a text separately, as in `"X-Authorization pk_…"` or `<secret>{AQAA… …}</secret>`. */
function wordSpans(text: string, bound: BoundName, range: { start: number; end: number }): readonly Span[] {
  const spans: Span[] = []
  const kind = describeKind(bound)
  const strength = kind === 'password' ? 'secret' : bound.strength
  const isLiteral = bound.binding === 'element'
  const limit = Math.min(range.end, range.start + WORDS_CHARS)
  let end = range.start
  for (let start = range.start; start < limit; start = end + 1) {
    end = endOfRun(SPELT, text, start, limit - start)
    if (end - start < SHORTEST_WORD) continue
    if (isSecretBehindName({ value: text.slice(start, end), strength, isLiteral })) spans.push({ start, end, kind })
  }
  return spans
}

const SCHEME_CHARS = 9

/** The index after the scheme that a value may start with; the index itself when there is none. */
function afterScheme(text: string, index: number): number {
  const after = codeAt(text, endOfRun(SCHEME, text, index, SCHEME_CHARS))
  return after === SPACE || after === TAB ? Math.max(index, endAt(pattern.scheme, text, index)) : index
}

const PASSPHRASE_CHARS = 128

/** Letters and digits in one word: `c0rrect`, not "at least 8 characters". */
function isMixed(word: string): boolean {
  if (word.length < SHORTEST_PASSWORD || pattern.technical.test(word)) return false
  return pattern.hasDigit.test(word) && pattern.hasLetter.test(word)
}

/** `--password 'c0rrect horse'`, `DB_PASSWORD="c0rrect horse"`: the whole value of an option or variable is the password, including spaces. */
function isPassphrase(text: string, bound: BoundName, value: string): boolean {
  if (bound.strength !== 'password' || value.length > PASSPHRASE_CHARS) return false
  const isGiven = bound.binding === 'flag' || (isTightAssignment(text, bound) && isEnvOrOption(text, bound))
  return isGiven && !isPlaceholder(value) && value.split(' ').some(isMixed)
}

function isEnvOrOption(text: string, bound: BoundName): boolean {
  return bound.before.startsWith('--') || isEnvName(text, bound)
}

function quotedSpans(text: string, bound: BoundName, quote: Quote): readonly Span[] {
  const start = afterScheme(text, quote.end)
  if (isMarkAt(text, start)) return none
  const closing = findClosingQuote(text, start, quote)
  // Without trailing spaces, which other occurrences of the value may lack.
  const end = start + text.slice(start, closing).trimEnd().length
  const kind = describeKind(bound)
  if (end - start < (kind === 'password' ? SHORTEST_PASSWORD : SHORTEST_SECRET)) return none
  const value = text.slice(start, end).trim()
  if (pattern.spaced.test(value))
    return isPassphrase(text, bound, value) ? [{ start, end, kind }] : wordSpans(text, bound, { start, end })
  if (!isSecretBehindName({ value, strength: bound.strength, isLiteral: isLiteralBinding(bound) })) return none
  return [{ start, end, kind }]
}

/** `NAME=value` as in env files, shells and queries: the value is text, whatever it looks like. */
function isTightAssignment(text: string, { binding, end, valueStart }: BoundName): boolean {
  return binding === 'assignment' && valueStart === end + 1 && text[end] === '='
}

/** Also after the diff marker of a removed line. */
function isEnvName(text: string, { start, end }: BoundName): boolean {
  const first = text[start] === '-' && (start === 0 || isNewline(codeAt(text, start - 1))) ? start + 1 : start
  return isInClass(UPPER, codeAt(text, first)) && pattern.envName.test(text.slice(first, end))
}

/** Longer than any indentation with `export`. */
const LINE_START_CHARS = 40

/** `password=swordfish` alone on its line, as in properties and shells, or among the fields of a query: not code. */
function isWrittenOut(text: string, bound: BoundName, end: number): boolean {
  const { start } = bound
  const before = text[start - 1]
  if (before === '?' || before === '&' || isSetting(text, bound.start, bound.before)) return true
  const after = text[end]
  if (after !== undefined && after !== '\n' && after !== '\r') return false
  // Bounded: in a text without newlines, every name would otherwise scan back to the start.
  const from = Math.max(0, start - LINE_START_CHARS)
  let lineStart = start
  while (lineStart > from && !isNewline(codeAt(text, lineStart - 1))) lineStart -= 1
  if (lineStart > 0 && !isNewline(codeAt(text, lineStart - 1))) return false
  return lineStart === start || pattern.ownLine.test(text.slice(lineStart, start))
}

function isLiteralPassword(text: string, bound: BoundName, value: { readonly start: number; readonly end: number }) {
  if (bound.binding === 'flag') return true
  if (bound.binding === 'pair') return !isVariable(text.slice(value.start, value.end))
  if (!isTightAssignment(text, bound) || !isWrittenOut(text, bound, value.end)) return false
  return !isVariable(text.slice(value.start, value.end))
}

/** In prose the value alone must look like a secret. */
function isSecretInProse(value: string, strength: NameStrength): boolean {
  if (strength === 'key' || strength === 'bare-key' || strength === 'pass') return false
  if (pattern.technical.test(value) || pattern.hashOrId.test(value) || pattern.fileName.test(value)) return false
  return looksRandomAfterName(value) && value.length >= (strength === 'password' ? SHORTEST_SECRET : SHORTEST_TOKEN)
}

/** A weak name is not enough evidence for a value with punctuation in it. */
function mayHavePunctuation({ strength }: BoundName): boolean {
  return strength !== 'key' && strength !== 'bare-key'
}

/** Whether a value that starts with punctuation is too short, decided by three characters. */
function isCutShort(text: string, start: number): boolean {
  return [2, 5, 7].some((offset) => isInClass(WHITESPACE, codeAt(text, start + offset)))
}

function bareSpans(text: string, bound: BoundName, { bareEnd, endWithPunctuation }: Surroundings): readonly Span[] {
  if (bareEnd === bound.valueStart && isCutShort(text, bareEnd)) return none
  const isTight = isTightAssignment(text, bound)
  const isEnv = isTight && isEnvName(text, bound)
  const start = afterScheme(text, bound.valueStart)
  const end = start === bound.valueStart && !isEnv ? bareEnd : endOfRun(isEnv ? ENV : BARE, text, start, VALUE_CHARS)
  if (end === start && isMarkAt(text, start)) return none
  const signsEnd = mayHavePunctuation(bound) ? endWithPunctuation(start, end) : end
  if (end > start && isBareSecret(text, bound, { start, end, isEnv, isTight }))
    return [{ start, end: signsEnd, kind: describeKind(bound) }]
  if (signsEnd === end || signsEnd - start < SHORTEST_SECRET) return none
  if (!isRandomWithPunctuation(text.slice(start, signsEnd), leastBits(bound, isTight))) return none
  return [{ start, end: signsEnd, kind: describeKind(bound) }]
}

const LITERAL_BITS = 0
const ASSIGNED_BITS = 2
const BESIDE_BITS = 4
const PROSE_BITS = 4

/** The weaker the binding, the more evidence is needed. */
function leastBits({ binding, strength }: BoundName, isTight: boolean): number {
  if (isTight || binding === 'flag' || (binding === 'assignment' && strength === 'password')) return LITERAL_BITS
  if (binding === 'prose') return PROSE_BITS
  return binding === 'beside' ? BESIDE_BITS : ASSIGNED_BITS
}

interface BareValue {
  readonly start: number
  readonly end: number
  readonly isEnv: boolean
  readonly isTight: boolean
}

function isBareSecret(text: string, bound: BoundName, { start, end, isEnv, isTight }: BareValue): boolean {
  const value = text.slice(start, end)
  const { binding, strength } = bound
  if (text[end] === '(' && !looksRandomAfterName(value)) return false
  // `setx API_TOKEN …`, `| API_TOKEN | … |`: a space is a weak binding, so the value itself must look like a secret.
  if (binding === 'prose' && !isSecretInProse(value, strength)) return false
  if (binding === 'statement' && pattern.technical.test(value)) return false
  if (binding === 'beside' && (value.length < SHORTEST_SECRET || !looksRandomAfterName(value))) return false
  const isLiteral =
    isEnv || (describeKind(bound) === 'password' ? isLiteralPassword(text, bound, { start, end }) : isTight)
  return isSecretBehindName({ value, strength, isLiteral })
}

/** `key: |` and the base64 lines below it, as in YAML. */
function blockSpans(text: string, { valueStart }: BoundName): readonly Span[] {
  const start = endAt(pattern.blockScalar, text, valueStart)
  if (start < 0) return none
  let end = start
  for (let next = endAt(pattern.blockLine, text, end); next > end; next = endAt(pattern.blockLine, text, end))
    end = next
  if (end === start || !looksRandom(text.slice(start, end).trim())) return none
  return [{ start, end: text[end - 1] === '\n' ? end - 1 : end, kind: 'secret' }]
}

const ELEMENT_CHARS = 512

function elementSpans(text: string, bound: BoundName, nextTag: FindNext): readonly Span[] {
  const cdata = text[bound.valueStart] === '<' ? endAt(pattern.cdata, text, bound.valueStart) : -1
  const start = Math.max(bound.valueStart, cdata)
  const end = cdata < 0 ? nextTag(start) : endOfRun(CDATA, text, start, ELEMENT_CHARS)
  if (end === start || end - start > ELEMENT_CHARS || (cdata >= 0 && !text.startsWith(']]>', end))) return none
  const value = text.slice(start, end).trim()
  if (isSecretBehindName({ value, strength: bound.strength, isLiteral: true }))
    return [{ start, end: start + value.length, kind: describeKind(bound) }]
  return wordSpans(text, bound, { start, end })
}

/** The range of the opening quote; undefined when the value is not quoted. */
function quoteAt(text: string, index: number): Quote | undefined {
  const code = codeAt(text, index)
  if (isInClass(QUOTE, code)) return { start: index, end: index + 1 }
  if (!isInClass(QUOTE_PREFIX, code)) return undefined
  const start = code === BACKSLASH ? index : index + 1
  const end = afterQuote(text, start)
  return end < 0 ? undefined : { start, end }
}

/**
 * Alternative readings of a value where newlines and tabs are escaped: an escape may be part of the value, between quotes
 * or tags. Elsewhere a value ends before the first escape.
 */
export function spansWithEscapes(
  text: string,
  bound: BoundName,
  { nextTag, nextEscape }: { readonly nextTag: FindNext; readonly nextEscape: FindNext },
): readonly Span[] {
  const { valueStart } = bound
  // An escape between name and value: they are bound only in the unescaped text.
  if (nextEscape(bound.end) < valueStart) return none
  if (bound.binding === 'element')
    return nextEscape(valueStart) < nextTag(valueStart) ? elementSpans(text, bound, nextTag) : none
  const quote = quoteAt(text, valueStart)
  if (!quote || nextEscape(quote.end) >= findClosingQuote(text, quote.end, quote)) return none
  return quotedSpans(text, bound, quote)
}

interface Surroundings {
  /** The end of the value if it is unquoted. */
  readonly bareEnd: number
  readonly nextTag: FindNext
  readonly endWithPunctuation: EndWithPunctuation
}

/** The secrets in the value bound to a name. */
export function findAssignedSecrets(text: string, bound: BoundName, surroundings: Surroundings): readonly Span[] {
  if (bound.binding === 'element') return elementSpans(text, bound, surroundings.nextTag)
  const quote = quoteAt(text, bound.valueStart)
  if (quote) return quotedSpans(text, bound, quote)
  const opening = text[bound.valueStart]
  const block = opening === '|' || opening === '>' ? blockSpans(text, bound) : none
  return block === none ? bareSpans(text, bound, surroundings) : block
}
