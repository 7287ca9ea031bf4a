import { nameBefore, strengthOf } from './name.ts'
import { pattern } from './patterns.ts'
import type { Span } from './span.ts'
import type { NameStrength } from './value.ts'
import { isSecretBehindName, looksRandom } from './value.ts'

const VALUE_CHARS = 4_096
/** Names inside one unbroken run of characters that may fail before the rest of the run is passed over: keeps `key=key=key=…` linear. */
const MISSES_PER_RUN = 8

interface Named {
  readonly announcement: string
  readonly before: string
  readonly nameStart: number
  readonly nameEnd: number
  readonly strength: NameStrength
}

type Link = 'assignment' | 'argument' | 'apposition' | 'statement' | 'flag' | 'element'

interface Linked extends Named {
  readonly link: Link
  readonly valueStart: number
}

/** Matches a sticky pattern at a place; the end of the match, or -1. */
function endAt(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : -1
}

const LINK_SIGNS = ':=?.+|-\\"\'`]'

function firstLink(text: string, index: number, links: readonly (readonly [Link, RegExp])[]): LinkEnd | undefined {
  for (const [link, sticky] of links) {
    const end = endAt(sticky, text, index)
    if (end >= 0) return { link, end }
  }
  return undefined
}

interface LinkEnd {
  readonly link: Link
  readonly end: number
}

const bySign: readonly (readonly [Link, RegExp])[] = [
  ['assignment', pattern.typedAssignment],
  ['assignment', pattern.assignment],
  ['argument', pattern.argument],
  ['apposition', pattern.apposition],
]
const byWord: readonly (readonly [Link, RegExp])[] = [
  ['apposition', pattern.apposition],
  ['statement', pattern.statement],
  ['assignment', pattern.typedAssignment],
]

function linkAfter(text: string, name: Named): LinkEnd | undefined {
  const { nameStart, nameEnd } = name
  if (text[nameEnd] === '>' && text[nameStart - 1] === '<')
    return firstLink(text, nameEnd, [['element', pattern.element]])
  let next = nameEnd
  while (next < nameEnd + 16 && (text[next] === ' ' || text[next] === '\t')) next += 1
  const sign = text[next]
  if (sign === undefined) return undefined
  const link = LINK_SIGNS.includes(sign)
    ? firstLink(text, nameEnd, bySign)
    : next > nameEnd && pattern.linkWord.test(sign)
      ? firstLink(text, nameEnd, byWord)
      : undefined
  if (link || !name.before.startsWith('-')) return link
  return firstLink(text, nameEnd, [['flag', pattern.flagGap]])
}

/** The end of a quoted value: before the closing quote; before the line's end when there is none. */
function closingOf(text: string, from: number, quote: string): number {
  const limit = Math.min(text.length, from + VALUE_CHARS)
  for (let index = from; index < limit; index += 1) {
    const char = text[index]
    if (char === '\n') return index
    if (char === '\\' && quote.length === 1) index += 1
    else if (text.startsWith(quote, index)) return index
  }
  return limit
}

function isLiteralLink({ link, strength }: Linked): boolean {
  return (
    link === 'assignment' || link === 'argument' || link === 'element' || (link === 'flag' && strength === 'password')
  )
}

function quotedSpan(text: string, linked: Linked, quoteStart: number): Span | undefined {
  const opened = endAt(pattern.quote, text, quoteStart)
  const quote = text.slice(quoteStart, opened)
  const schemed = endAt(pattern.scheme, text, opened)
  const start = schemed >= 0 ? schemed : opened
  const end = closingOf(text, start, quote)
  const value = text.slice(start, end)
  if (!isSecretBehindName({ value, strength: linked.strength, isLiteral: isLiteralLink(linked) })) return undefined
  return { start, end, kind: linked.strength === 'password' ? 'password' : 'secret' }
}

/** `NAME=value` as env files and shells write it: the value is text, whatever it looks like. */
function isEnvStyle(text: string, linked: Linked): boolean {
  if (linked.link !== 'assignment' || text[linked.valueStart - 1] !== '=' || linked.valueStart !== linked.nameEnd + 1)
    return false
  return pattern.envName.test(text.slice(linked.nameStart, linked.nameEnd))
}

function bareSpan(text: string, linked: Linked): Span | undefined {
  const isEnv = isEnvStyle(text, linked)
  const schemed = endAt(pattern.scheme, text, linked.valueStart)
  const start = schemed >= 0 ? schemed : linked.valueStart
  const end = endAt(isEnv ? pattern.envValue : pattern.bareValue, text, start)
  if (end < 0) return undefined
  const value = text.slice(start, end)
  if (text[end] === '(' && !looksRandom(value)) return undefined
  const isLiteral = isEnv || (linked.link === 'flag' && linked.strength === 'password')
  if (!isSecretBehindName({ value, strength: linked.strength, isLiteral })) return undefined
  return { start, end, kind: linked.strength === 'password' ? 'password' : 'secret' }
}

/** `key: |` and the lines of letters under it, as YAML folds a long value. */
function blockSpan(text: string, linked: Linked): Span | undefined {
  const start = endAt(pattern.blockScalar, text, linked.valueStart)
  if (start < 0) return undefined
  let end = start
  for (let next = endAt(pattern.blockLine, text, end); next > end; next = endAt(pattern.blockLine, text, end))
    end = next
  if (end === start || !looksRandom(text.slice(start, end).trim())) return undefined
  return { start, end: text[end - 1] === '\n' ? end - 1 : end, kind: 'secret' }
}

/** `<secret>{AQAA… value}</secret>`: each word of the element's text is judged by itself. */
function elementSpans(text: string, linked: Linked): Span[] {
  const close = text.indexOf('<', linked.valueStart)
  if (close < 0 || close - linked.valueStart > 512) return []
  const content = text.slice(linked.valueStart, close)
  const spans: Span[] = []
  for (const word of content.matchAll(pattern.words)) {
    const start = linked.valueStart + word.index
    const isLiteral = word[0].length === content.trim().length
    if (isSecretBehindName({ value: word[0], strength: linked.strength, isLiteral }))
      spans.push({ start, end: start + word[0].length, kind: 'secret' })
  }
  return spans
}

function spansBehind(text: string, linked: Linked): Span[] {
  if (linked.link === 'element') return elementSpans(text, linked)
  const prefixed = endAt(pattern.literalPrefix, text, linked.valueStart)
  const start = prefixed >= 0 ? prefixed : linked.valueStart
  const span =
    endAt(pattern.quote, text, start) >= 0
      ? quotedSpan(text, linked, start)
      : (blockSpan(text, linked) ?? bareSpan(text, linked))
  return span === undefined ? [] : [span]
}

function wordBefore(text: string, index: number): string {
  return text[index - 1] === ' ' ? nameBefore(text, index - 1).text : ''
}

function nameAt(text: string, announcement: string, index: number): Named | undefined {
  const nameEnd = endAt(pattern.nameEnding, text, index + announcement.length)
  if (nameEnd < 0) return undefined
  const { start, text: before } = nameBefore(text, index)
  const strength = strengthOf(announcement, before, before === '' ? wordBefore(text, index) : '')
  return strength === undefined ? undefined : { announcement, before, nameStart: start, nameEnd, strength }
}

/** Values behind a name that announces a secret: `password: …`, `API_KEY=…`, `--token …`, `<secret>…`. */
export function findAssignments(text: string): Span[] {
  const spans: Span[] = []
  const announcements = pattern.announcement
  announcements.lastIndex = 0
  let runEnd = 0
  let misses = 0
  for (let found = announcements.exec(text); found !== null; found = announcements.exec(text)) {
    const name = nameAt(text, found[0], found.index)
    const link = name && linkAfter(text, name)
    if (!name || !link) continue
    if (link.end >= runEnd) {
      runEnd = Math.max(link.end, endAt(pattern.bareValue, text, link.end))
      misses = 0
    } else if (misses >= MISSES_PER_RUN) {
      announcements.lastIndex = Math.max(runEnd, announcements.lastIndex)
      continue
    }
    const behind = spansBehind(text, { ...name, link: link.link, valueStart: link.end })
    const last = behind.at(-1)
    if (last === undefined) misses += 1
    else announcements.lastIndex = Math.max(announcements.lastIndex, last.end)
    spans.push(...behind)
  }
  return spans
}
