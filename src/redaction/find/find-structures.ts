import { WHITESPACE, codeAt, DIGIT, endOfRun, isInClass, QUOTE, TOKEN_PART, USER_INFO } from '../text/chars.ts'
import { type FindNext, createCharacterFinder } from '../text/chars.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isFiller, looksRandomAfterName, looksRandom } from '../text/entropy.ts'
import { isDefaultPassword, isRandomWithPunctuation, isPlaceholder } from '../rules/secret-value.ts'

const JWT_START = 'eyJ'

const PART_CHARS = 65_536
const SHORTEST_PART = 10
const MOST_PARTS = 5

function partEnd(text: string, from: number): number {
  return endOfRun(TOKEN_PART, text, from, PART_CHARS)
}

/** The end of a token whose header ends at an index; -1 when it is not a token. */
function webTokenEnd(text: string, header: number): number {
  if (text[header] !== '.') return -1
  let end = partEnd(text, header + 1)
  if (end - header <= SHORTEST_PART) return -1
  let parts = 2
  for (; text[end] === '.' && parts < MOST_PARTS; parts += 1) end = partEnd(text, end + 1)
  return parts > 2 || text.startsWith(JWT_START, header + 1) ? end : -1
}

/** JSON web tokens: header, payload and optional signature, or the five parts of an encrypted one. */
export function findWebTokens(text: string): Span[] {
  const spans: Span[] = []
  let next = 0
  for (let start = text.indexOf(JWT_START); start >= 0; start = text.indexOf(JWT_START, next)) {
    next = partEnd(text, start)
    const end = next - start < SHORTEST_PART ? -1 : webTokenEnd(text, next)
    if (end < 0) continue
    next = end
    if (!isFiller(text.slice(start, end))) spans.push({ start, end, kind: 'jwt' })
  }
  return spans
}

function isDefaultLogin(user: string, password: string): boolean {
  return password === user || isPlaceholder(password) || isFiller(password) || isDefaultPassword(password)
}

const USER_INFO_CHARS = 320
const SHORTEST_PASSWORD = 4
/** `https://<token>@host`: a user name is shorter or readable. */
const SHORTEST_TOKEN = 16

interface TextRange {
  readonly start: number
  readonly end: number
}

const LONGEST_PASSWORD = 64
/** A password between user and host is random; a path or a query is readable. */
const UNESCAPED_BITS = 1
const MOST_CANDIDATES = 3

/** Whether a port starts here: digits up to the path. */
function isPort(text: string, start: number, end: number): boolean {
  return end > start && endOfRun(DIGIT, text, start, end - start) === end
}

/**
 * The end of a password with unescaped special characters: before the first `@` that a host follows. -1 where
 * it is a port and a path, or readable: `http://localhost:3000/token@2x.png`.
 */
function endOfUnescaped(text: string, { start, end }: TextRange, nextAt: FindNext): number {
  const limit = Math.min(text.length, start + LONGEST_PASSWORD)
  if (nextAt(end) >= limit || isPort(text, start, end) || text.startsWith('://', end - 1)) return -1
  let candidates = 0
  for (let index = end; index < limit && candidates < MOST_CANDIDATES; index += 1) {
    const code = codeAt(text, index)
    if (isInClass(WHITESPACE | QUOTE, code)) return -1
    if (code !== AT) continue
    candidates += 1
    if (endAt(pattern.host, text, index + 1) < 0) continue
    if (isRandomWithPunctuation(text.slice(start, index), UNESCAPED_BITS)) return index
  }
  return -1
}

const AT = 64

function addressSpan(text: string, separator: number, nextAt: FindNext): Span | undefined {
  const start = separator + 3
  const end = endOfRun(USER_INFO, text, start, USER_INFO_CHARS)
  if (end === start) return undefined
  const authority = text.slice(start, end)
  const at = authority.lastIndexOf('@')
  const colon = authority.indexOf(':')
  if (at >= SHORTEST_TOKEN && (colon < 0 || colon > at)) {
    const token = authority.slice(0, at)
    return looksRandom(token) && !isPlaceholder(token) ? { start, end: start + at, kind: 'login' } : undefined
  }
  if (colon < 0) return undefined
  const user = authority.slice(0, colon)
  const isEscaped = at - colon > SHORTEST_PASSWORD && endAt(pattern.host, text, start + at + 1) >= 0
  const unescaped = isEscaped ? -1 : endOfUnescaped(text, { start: start + colon + 1, end }, nextAt)
  const passwordEnd = unescaped < 0 ? start + at : unescaped
  if (passwordEnd - start - colon <= SHORTEST_PASSWORD) return undefined
  const password = text.slice(start + colon + 1, passwordEnd)
  if (isPlaceholder(user) || isDefaultLogin(user, password)) return undefined
  const scheme = pattern.schemeName.exec(text.slice(Math.max(0, separator - 24), separator))?.[0] ?? ''
  if (!pattern.databaseScheme.test(scheme)) return { start, end: passwordEnd, kind: 'login' }
  return { start, end: endAt(pattern.hostAndPort, text, passwordEnd), kind: 'connection' }
}

/** `scheme://user:password@host`. A database URL is removed with its host; a web host stays. */
export function findLogins(text: string): Span[] {
  const spans: Span[] = []
  const nextAt = createCharacterFinder(text, '@')
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const span = addressSpan(text, at, nextAt)
    if (span) spans.push(span)
  }
  return spans
}

export function isBasicLogin(word: string): boolean {
  try {
    return atob(word).includes(':')
  } catch {
    // `atob` throws on text that is not base64.
    return false
  }
}

/** Whether `basic`, not `bearer`, precedes a credential: decided by its last letter, since only whitespace is between. */
function followsBasic(text: string, index: number): boolean {
  let end = index - 1
  while (text[end] === ' ' || text[end] === '\t') end -= 1
  return text[end] === 'c' || text[end] === 'C'
}

/** `Bearer …` and `Basic …`, in a header or pasted anywhere. */
export function findAuthorizations(text: string): Span[] {
  const spans: Span[] = []
  const { bearer, credentialWord } = pattern
  bearer.lastIndex = 0
  while (bearer.test(text)) {
    const start = bearer.lastIndex
    const end = endAt(credentialWord, text, start)
    if (end < 0) continue
    const word = text.slice(start, end)
    const isBasic = followsBasic(text, start)
    const isSecret = isBasic ? isBasicLogin(word) : word.length >= 12 && looksRandomAfterName(word)
    if (isSecret && !isPlaceholder(word)) spans.push({ start, end, kind: isBasic ? 'basic-auth' : 'bearer-token' })
  }
  return spans
}
