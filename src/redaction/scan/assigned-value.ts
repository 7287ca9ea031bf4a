import {
  afterQuote,
  BARE,
  BLANK,
  CDATA,
  codeAt,
  endOfRun,
  ENV,
  isOf,
  QUOTE,
  QUOTE_PREFIX,
  SCHEME,
  SPELT,
  UPPER,
} from '../text/chars.ts'
import type { NextSign } from '../text/next-character.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { isSetting } from '../rules/setting-before.ts'
import { type Span, isMarkAt } from '../text/span.ts'
import { looksDrawn, looksRandom } from '../text/entropy.ts'
import type { Tie } from './binding.ts'
import {
  type NameStrength,
  isDrawnWithSigns,
  isPlaceholder,
  isSecretBehindName,
  isVariable,
} from '../rules/secret-value.ts'
import type { EndWithSigns } from './value-end.ts'

/** As much of a value as is read. */
export const VALUE_CHARS = 4_096
/** Of a text in quotes, as much as is searched for a secret among its words. */
const WORDS_CHARS = 512
const SHORTEST_PASSWORD = 4
const SHORTEST_SECRET = 8
const SHORTEST_WORD = 16
const SHORTEST_TOKEN = 10

/** A name that announces a secret, and where the value tied to it begins. */
export interface Linked {
  readonly start: number
  readonly end: number
  /** The part of the name in front of the announcing word: `--db-` in `--db-password`. */
  readonly before: string
  readonly strength: NameStrength
  readonly tie: Tie
  readonly valueStart: number
}

/** Nearly every value is none, so one empty list serves them all. */
const none: readonly Span[] = []

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const BACKSLASH = 92

/** Where the quote of a value stands; more than one character where it is escaped. */
interface Quote {
  readonly start: number
  readonly end: number
}

/** The end of a quoted value: before the closing quote; before the line's end when there is none. */
function closingOf(text: string, from: number, quote: Quote): number {
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
    // Behind more backslashes than opened it stands a quote that belongs to the value.
    if (escapes > 0 && count === escapes && codeAt(text, index + 1) === sign) return run
    if (count % 2 === 1 || escapes > 0) index += 1
  }
  return limit
}

function isLiteralTie({ tie, before, strength }: Linked): boolean {
  if (strength === 'pass') return tie === 'assignment' || (tie === 'flag' && before.startsWith('--'))
  if (tie === 'flag') return strength === 'password'
  return tie === 'assignment' || tie === 'argument' || tie === 'pair'
}

function kindOf({ strength }: Linked): string {
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}

/** The words of a text, each judged by itself, as in `"X-Authorization pk_…"` or `<secret>{AQAA… …}</secret>`. */
function wordSpans(text: string, linked: Linked, range: { start: number; end: number }): readonly Span[] {
  const spans: Span[] = []
  const kind = kindOf(linked)
  const strength = kind === 'password' ? 'secret' : linked.strength
  const isLiteral = linked.tie === 'element'
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

/** Behind the scheme that a value may begin with; at the place itself when there is none. */
function afterScheme(text: string, index: number): number {
  const after = codeAt(text, endOfRun(SCHEME, text, index, SCHEME_CHARS))
  return after === SPACE || after === TAB ? Math.max(index, endAt(pattern.scheme, text, index)) : index
}

const PASSPHRASE_CHARS = 128

/** Letters and digits in one word: `c0rrect`, and not "at least 8 characters". */
function isMixed(word: string): boolean {
  if (word.length < SHORTEST_PASSWORD || pattern.technical.test(word)) return false
  return pattern.hasDigit.test(word) && pattern.hasLetter.test(word)
}

/** `--password 'c0rrect horse'`, `DB_PASSWORD="c0rrect horse"`: an option or a variable is the password, blanks and all. */
function isPassphrase(text: string, linked: Linked, value: string): boolean {
  if (linked.strength !== 'password' || value.length > PASSPHRASE_CHARS) return false
  const isGiven = linked.tie === 'flag' || (isTightAssignment(text, linked) && isEnvOrOption(text, linked))
  return isGiven && !isPlaceholder(value) && value.split(' ').some(isMixed)
}

function isEnvOrOption(text: string, linked: Linked): boolean {
  return linked.before.startsWith('--') || isEnvName(text, linked)
}

function quotedSpans(text: string, linked: Linked, quote: Quote): readonly Span[] {
  const start = afterScheme(text, quote.end)
  if (isMarkAt(text, start)) return none
  const closing = closingOf(text, start, quote)
  // Without the blanks at its end: the same value elsewhere has others.
  const end = start + text.slice(start, closing).trimEnd().length
  const kind = kindOf(linked)
  if (end - start < (kind === 'password' ? SHORTEST_PASSWORD : SHORTEST_SECRET)) return none
  const value = text.slice(start, end).trim()
  if (pattern.spaced.test(value))
    return isPassphrase(text, linked, value) ? [{ start, end, kind }] : wordSpans(text, linked, { start, end })
  if (!isSecretBehindName({ value, strength: linked.strength, isLiteral: isLiteralTie(linked) })) return none
  return [{ start, end, kind }]
}

/** `NAME=value` as env files, shells and queries write it: the value is text, whatever it looks like. */
function isTightAssignment(text: string, { tie, end, valueStart }: Linked): boolean {
  return tie === 'assignment' && valueStart === end + 1 && text[end] === '='
}

/** Also where the sign of a line that was taken out stands before it. */
function isEnvName(text: string, { start, end }: Linked): boolean {
  const first = text[start] === '-' && (start === 0 || isLineEnd(codeAt(text, start - 1))) ? start + 1 : start
  return isOf(UPPER, codeAt(text, first)) && pattern.envName.test(text.slice(first, end))
}

function isLineEnd(code: number): boolean {
  return code === NEWLINE || code === RETURN
}

/** Farther than any indentation and `export`. */
const LINE_START_CHARS = 40

/** `password=swordfish` alone in its line, as properties and shells have it, or among the fields of a query: no code reads like that. */
function isWrittenOut(text: string, linked: Linked, end: number): boolean {
  const { start } = linked
  const before = text[start - 1]
  if (before === '?' || before === '&' || isSetting(text, linked.start, linked.before)) return true
  const after = text[end]
  if (after !== undefined && after !== '\n' && after !== '\r') return false
  // Looked for close by only: a text without line ends, of which each is asked, would be read from its beginning for each.
  const from = Math.max(0, start - LINE_START_CHARS)
  let lineStart = start
  while (lineStart > from && !isLineEnd(codeAt(text, lineStart - 1))) lineStart -= 1
  if (lineStart > 0 && !isLineEnd(codeAt(text, lineStart - 1))) return false
  return lineStart === start || pattern.ownLine.test(text.slice(lineStart, start))
}

function isLiteralPassword(text: string, linked: Linked, value: { readonly start: number; readonly end: number }) {
  if (linked.tie === 'flag') return true
  if (linked.tie === 'pair') return !isVariable(text.slice(value.start, value.end))
  if (!isTightAssignment(text, linked) || !isWrittenOut(text, linked, value.end)) return false
  return !isVariable(text.slice(value.start, value.end))
}

/** In prose the value has to speak for itself, and nothing but a secret may look like it. */
function isSecretInProse(value: string, strength: NameStrength): boolean {
  if (strength === 'key' || strength === 'bare-key' || strength === 'pass') return false
  if (pattern.technical.test(value) || pattern.hashOrId.test(value) || pattern.fileName.test(value)) return false
  return looksDrawn(value) && value.length >= (strength === 'password' ? SHORTEST_SECRET : SHORTEST_TOKEN)
}

/** What a name says of the value of a row or a map is too little to look for signs in it. */
function mayHoldSigns({ strength }: Linked): boolean {
  return strength !== 'key' && strength !== 'bare-key'
}

/** Whether a value that begins with a sign ends too soon to be one, as far as three looks tell. */
function isCutShort(text: string, start: number): boolean {
  return [2, 5, 7].some((offset) => isOf(BLANK, codeAt(text, start + offset)))
}

function bareSpans(text: string, linked: Linked, { bareEnd, endWithSigns }: Surroundings): readonly Span[] {
  if (bareEnd === linked.valueStart && isCutShort(text, bareEnd)) return none
  const isTight = isTightAssignment(text, linked)
  const isEnv = isTight && isEnvName(text, linked)
  const start = afterScheme(text, linked.valueStart)
  const end = start === linked.valueStart && !isEnv ? bareEnd : endOfRun(isEnv ? ENV : BARE, text, start, VALUE_CHARS)
  if (end === start && isMarkAt(text, start)) return none
  const signsEnd = mayHoldSigns(linked) ? endWithSigns(start, end) : end
  if (end > start && isBareSecret(text, linked, { start, end, isEnv, isTight }))
    return [{ start, end: signsEnd, kind: kindOf(linked) }]
  if (signsEnd === end || signsEnd - start < SHORTEST_SECRET) return none
  if (!isDrawnWithSigns(text.slice(start, signsEnd), leastBits(linked, isTight))) return none
  return [{ start, end: signsEnd, kind: kindOf(linked) }]
}

const LITERAL_BITS = 0
const ASSIGNED_BITS = 2
const BESIDE_BITS = 4
const PROSE_BITS = 4

/** The less the name is tied to its value, the more has to speak for a secret. */
function leastBits({ tie, strength }: Linked, isTight: boolean): number {
  if (isTight || tie === 'flag' || (tie === 'assignment' && strength === 'password')) return LITERAL_BITS
  if (tie === 'prose') return PROSE_BITS
  return tie === 'beside' ? BESIDE_BITS : ASSIGNED_BITS
}

interface BareValue {
  readonly start: number
  readonly end: number
  readonly isEnv: boolean
  readonly isTight: boolean
}

function isBareSecret(text: string, linked: Linked, { start, end, isEnv, isTight }: BareValue): boolean {
  const value = text.slice(start, end)
  const { tie, strength } = linked
  if (text[end] === '(' && !looksDrawn(value)) return false
  // `setx API_TOKEN …`, `| API_TOKEN | … |`: a blank ties little, so the value has to speak for itself.
  if (tie === 'prose' && !isSecretInProse(value, strength)) return false
  if (tie === 'statement' && pattern.technical.test(value)) return false
  if (tie === 'beside' && (value.length < SHORTEST_SECRET || !looksDrawn(value))) return false
  const isLiteral = isEnv || (kindOf(linked) === 'password' ? isLiteralPassword(text, linked, { start, end }) : isTight)
  return isSecretBehindName({ value, strength, isLiteral })
}

/** `key: |` and the lines of letters under it, as YAML folds a long value. */
function blockSpans(text: string, { valueStart }: Linked): readonly Span[] {
  const start = endAt(pattern.blockScalar, text, valueStart)
  if (start < 0) return none
  let end = start
  for (let next = endAt(pattern.blockLine, text, end); next > end; next = endAt(pattern.blockLine, text, end))
    end = next
  if (end === start || !looksRandom(text.slice(start, end).trim())) return none
  return [{ start, end: text[end - 1] === '\n' ? end - 1 : end, kind: 'secret' }]
}

const ELEMENT_CHARS = 512

function elementSpans(text: string, linked: Linked, nextTag: NextSign): readonly Span[] {
  const cdata = text[linked.valueStart] === '<' ? endAt(pattern.cdata, text, linked.valueStart) : -1
  const start = Math.max(linked.valueStart, cdata)
  const end = cdata < 0 ? nextTag(start) : endOfRun(CDATA, text, start, ELEMENT_CHARS)
  if (end === start || end - start > ELEMENT_CHARS || (cdata >= 0 && !text.startsWith(']]>', end))) return none
  const value = text.slice(start, end).trim()
  if (isSecretBehindName({ value, strength: linked.strength, isLiteral: true }))
    return [{ start, end: start + value.length, kind: kindOf(linked) }]
  return wordSpans(text, linked, { start, end })
}

/** Where a quoted value's quote begins and ends; undefined when the value is not in quotes. */
function quoteAt(text: string, index: number): Quote | undefined {
  const code = codeAt(text, index)
  if (isOf(QUOTE, code)) return { start: index, end: index + 1 }
  if (!isOf(QUOTE_PREFIX, code)) return undefined
  const start = code === BACKSLASH ? index : index + 1
  const end = afterQuote(text, start)
  return end < 0 ? undefined : { start, end }
}

/**
 * What else the value may be where its text writes line ends and tabs as escapes: one of them may be a part of it, between quotes
 * or tags. Without them a value ends before the first.
 */
export function spansWithEscapes(
  text: string,
  linked: Linked,
  { nextTag, nextEscape }: { readonly nextTag: NextSign; readonly nextEscape: NextSign },
): readonly Span[] {
  const { valueStart } = linked
  // Where the text has one between the name and the value, they are tied only in lines.
  if (nextEscape(linked.end) < valueStart) return none
  if (linked.tie === 'element')
    return nextEscape(valueStart) < nextTag(valueStart) ? elementSpans(text, linked, nextTag) : none
  const quote = quoteAt(text, valueStart)
  if (!quote || nextEscape(quote.end) >= closingOf(text, quote.end, quote)) return none
  return quotedSpans(text, linked, quote)
}

/** What is known of a text beyond the place of a value. */
interface Surroundings {
  /** Where the value ends if it stands without quotes. */
  readonly bareEnd: number
  readonly nextTag: NextSign
  readonly endWithSigns: EndWithSigns
}

/** The secrets in the value tied to a name. */
export function spansBehind(text: string, linked: Linked, surroundings: Surroundings): readonly Span[] {
  if (linked.tie === 'element') return elementSpans(text, linked, surroundings.nextTag)
  const quote = quoteAt(text, linked.valueStart)
  if (quote) return quotedSpans(text, linked, quote)
  const opening = text[linked.valueStart]
  const block = opening === '|' || opening === '>' ? blockSpans(text, linked) : none
  return block === none ? bareSpans(text, linked, surroundings) : block
}
