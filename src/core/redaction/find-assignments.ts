import type { Link, Named } from './links.ts'
import { endAt, linkAfter } from './links.ts'
import { nameBefore, strengthOf } from './name.ts'
import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import type { NameStrength } from './value.ts'
import { isSecretBehindName, isVariable, looksRandom } from './value.ts'

const VALUE_CHARS = 4_096
/** Of a text in quotes, as much as is searched for a secret among its words. */
const WORDS_CHARS = 512
const SHORTEST_PASSWORD = 4
const SHORTEST_SECRET = 8
/** Names inside one unbroken run of characters that may fail before the rest of the run is passed over: keeps `key=key=key=…` linear. */
const MISSES_PER_RUN = 8

interface Linked {
  readonly name: Named
  readonly link: Link
  readonly strength: NameStrength
}

const NEWLINE = 10
const BACKSLASH = 92

/** The end of a quoted value: before the closing quote; before the line's end when there is none. */
function closingOf(text: string, from: number, quote: string): number {
  const limit = Math.min(text.length, from + VALUE_CHARS)
  const first = quote.charCodeAt(0)
  for (let index = from; index < limit; index += 1) {
    const code = text.charCodeAt(index)
    if (code === NEWLINE) return index
    if (code === first && (quote.length === 1 || text.startsWith(quote, index))) return index
    if (code === BACKSLASH && first !== BACKSLASH) index += 1
  }
  return limit
}

function isLiteralTie({ link: { tie }, name, strength }: Linked): boolean {
  if (strength === 'pass') return tie === 'assignment' || (tie === 'flag' && name.before.startsWith('--'))
  if (tie === 'flag') return strength === 'password'
  return tie === 'assignment' || tie === 'argument'
}

function kindOf({ strength }: Linked): string {
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}

/** The words of a text, each judged by itself, as in `"X-Authorization pk_…"` or `<secret>{AQAA… …}</secret>`. */
function wordSpans(text: string, linked: Linked, range: { start: number; end: number }): Span[] {
  const spans: Span[] = []
  for (const word of text.slice(range.start, Math.min(range.end, range.start + WORDS_CHARS)).matchAll(pattern.words)) {
    const start = range.start + word.index
    const strength = kindOf(linked) === 'password' ? 'secret' : linked.strength
    if (
      word[0].length >= 16 &&
      isSecretBehindName({ value: word[0], strength, isLiteral: linked.link.tie === 'element' })
    )
      spans.push({ start, end: start + word[0].length, kind: kindOf(linked) })
  }
  return spans
}

interface Quote {
  readonly start: number
  readonly end: number
}

function quotedSpans(text: string, linked: Linked, quote: Quote): Span[] {
  const schemed = endAt(pattern.scheme, text, quote.end)
  const start = schemed >= 0 ? schemed : quote.end
  const end = closingOf(text, start, text.slice(quote.start, quote.end))
  if (end - start < (kindOf(linked) === 'password' ? SHORTEST_PASSWORD : SHORTEST_SECRET)) return []
  const value = text.slice(start, end).trim()
  if (pattern.spaced.test(value)) return wordSpans(text, linked, { start, end })
  if (!isSecretBehindName({ value, strength: linked.strength, isLiteral: isLiteralTie(linked) })) return []
  return [{ start, end, kind: kindOf(linked) }]
}

/** `NAME=value` as env files, shells and queries write it: the value is text, whatever it looks like. */
function isTightAssignment(text: string, linked: Linked): boolean {
  return linked.link.tie === 'assignment' && linked.link.end === linked.name.end + 1 && text[linked.name.end] === '='
}

function isEnvName(text: string, linked: Linked): boolean {
  return pattern.envName.test(text.slice(linked.name.start, linked.name.end))
}

/** Farther than any indentation and `export`. */
const LINE_START_CHARS = 40

/** `password=swordfish` alone in its line, as properties and shells have it, or among the fields of a query: no code reads like that. */
function isWrittenOut(text: string, linked: Linked, end: number): boolean {
  const { start } = linked.name
  const before = text[start - 1]
  if (before === '?' || before === '&') return true
  const after = text[end]
  if (after !== undefined && after !== '\n' && after !== '\r') return false
  const from = Math.max(0, start - LINE_START_CHARS)
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  return lineStart >= from && pattern.ownLine.test(text.slice(lineStart, start))
}

function isLiteralPassword(text: string, linked: Linked, value: { readonly start: number; readonly end: number }) {
  if (linked.link.tie === 'flag') return true
  if (!isTightAssignment(text, linked) || !isWrittenOut(text, linked, value.end)) return false
  return !isVariable(text.slice(value.start, value.end))
}

function bareSpans(text: string, linked: Linked): Span[] {
  const isTight = isTightAssignment(text, linked)
  const isEnv = isTight && isEnvName(text, linked)
  const schemed = endAt(pattern.scheme, text, linked.link.end)
  const start = schemed >= 0 ? schemed : linked.link.end
  const end = endAt(isEnv ? pattern.envValue : pattern.bareValue, text, start)
  if (end < 0) return []
  const value = text.slice(start, end)
  if (text[end] === '(' && !looksRandom(value)) return []
  const isLiteral = isEnv || (kindOf(linked) === 'password' ? isLiteralPassword(text, linked, { start, end }) : isTight)
  if (!isSecretBehindName({ value, strength: linked.strength, isLiteral })) return []
  return [{ start, end, kind: kindOf(linked) }]
}

/** `key: |` and the lines of letters under it, as YAML folds a long value. */
function blockSpans(text: string, linked: Linked): Span[] {
  const start = endAt(pattern.blockScalar, text, linked.link.end)
  let end = start
  for (let next = endAt(pattern.blockLine, text, end); next > end; next = endAt(pattern.blockLine, text, end))
    end = next
  if (end === start || !looksRandom(text.slice(start, end).trim())) return []
  return [{ start, end: text[end - 1] === '\n' ? end - 1 : end, kind: 'secret' }]
}

function elementSpans(text: string, linked: Linked): Span[] {
  const start = linked.link.end
  const end = endAt(pattern.elementText, text, start)
  if (end < 0) return []
  const value = text.slice(start, end).trim()
  if (isSecretBehindName({ value, strength: linked.strength, isLiteral: true }))
    return [{ start, end: start + value.length, kind: kindOf(linked) }]
  return wordSpans(text, linked, { start, end })
}

/** Where a quoted value's quote begins and ends; undefined when the value is not in quotes. */
function quoteAt(text: string, index: number): Quote | undefined {
  if (pattern.openingQuote.test(text[index] ?? '')) return { start: index, end: index + 1 }
  const prefixed = endAt(pattern.literalPrefix, text, index)
  const start = prefixed >= 0 ? prefixed : index
  const end = endAt(pattern.quote, text, start)
  return end < 0 ? undefined : { start, end }
}

function spansBehind(text: string, linked: Linked): Span[] {
  if (linked.link.tie === 'element') return elementSpans(text, linked)
  const quote = quoteAt(text, linked.link.end)
  if (quote) return quotedSpans(text, linked, quote)
  const opening = text[linked.link.end]
  return opening === '|' || opening === '>' ? blockSpans(text, linked) : bareSpans(text, linked)
}

function wordBefore(text: string, index: number): string {
  const sign = text[index - 1]
  if (sign === ' ') return nameBefore(text, index - 1).text
  return sign === '?' || sign === '&' ? sign : ''
}

function nameAt(text: string, announcement: string, index: number): Named | undefined {
  const end = endAt(pattern.nameEnding, text, index + announcement.length)
  if (end < 0) return undefined
  const { start, text: before } = nameBefore(text, index)
  return { before, start, end }
}

/** The announcing word at a place, when a value is tied to it and the name says something about values. */
function linkedAt(text: string, announcement: string, index: number): Linked | undefined {
  const name = nameAt(text, announcement, index)
  const link = name && linkAfter(text, name)
  if (!name || !link) return undefined
  const strength = strengthOf(announcement, name.before, name.before === '' ? wordBefore(text, index) : '')
  return strength && { name, link, strength }
}

/** Values behind a name that announces a secret: `password: …`, `API_KEY=…`, `--token …`, `<secret>…`. */
export function findAssignments(text: string): Span[] {
  const spans: Span[] = []
  const announcements = pattern.announcement
  announcements.lastIndex = 0
  let runEnd = 0
  let misses = 0
  for (let found = announcements.exec(text); found !== null; found = announcements.exec(text)) {
    const linked = linkedAt(text, found[0], found.index)
    if (!linked) continue
    const valueStart = linked.link.end
    if (valueStart >= runEnd) {
      runEnd = Math.max(valueStart, endAt(pattern.bareValue, text, valueStart))
      misses = 0
    } else if (misses >= MISSES_PER_RUN) {
      announcements.lastIndex = Math.max(runEnd, announcements.lastIndex)
      continue
    }
    const behind = spansBehind(text, linked)
    const last = behind.at(-1)
    if (last === undefined) misses += 1
    else announcements.lastIndex = Math.max(announcements.lastIndex, last.end)
    spans.push(...behind)
  }
  return spans
}
