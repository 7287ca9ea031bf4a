import { BLANK, codeAt, DIGIT, endOfRun, isOf, QUOTE, TOKEN_PART, USER_INFO } from '../text/chars.ts'
import { type NextSign, createNextSign } from '../text/next-character.ts'
import { endAt, pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isFiller, looksDrawn, looksRandom } from '../text/entropy.ts'
import { isDefaultPassword, isDrawnWithSigns, isPlaceholder } from '../rules/secret-value.ts'

const JWT_START = 'eyJ'

const PART_CHARS = 65_536
const SHORTEST_PART = 10
const MOST_PARTS = 5

function partEnd(text: string, from: number): number {
  return endOfRun(TOKEN_PART, text, from, PART_CHARS)
}

/** The end of a token whose header ends at a place; -1 when what follows makes it none. */
function webTokenEnd(text: string, header: number): number {
  if (text[header] !== '.') return -1
  let end = partEnd(text, header + 1)
  if (end - header <= SHORTEST_PART) return -1
  let parts = 2
  for (; text[end] === '.' && parts < MOST_PARTS; parts += 1) end = partEnd(text, end + 1)
  return parts > 2 || text.startsWith(JWT_START, header + 1) ? end : -1
}

/** Header, payload and, where it is there, signature; also the five parts of an encrypted one. */
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
/** `https://<token>@host`: a name is shorter, or can be said. */
const SHORTEST_TOKEN = 16

interface Range {
  readonly start: number
  readonly end: number
}

const LONGEST_PASSWORD = 64
/** Between a name and a host; a path or a query there can be read. */
const UNESCAPED_BITS = 1
const MOST_CANDIDATES = 3

/** Whether what begins at a place is a port: digits up to the path. */
function isPort(text: string, start: number, end: number): boolean {
  return end > start && endOfRun(DIGIT, text, start, end - start) === end
}

/**
 * The end of a password with signs in it that an address has to escape, and did not: before the first `@` that a host follows. -1 where
 * it is a port and a path, or can be read: `http://localhost:3000/token@2x.png`.
 */
function endOfUnescaped(text: string, { start, end }: Range, nextAt: NextSign): number {
  const limit = Math.min(text.length, start + LONGEST_PASSWORD)
  if (nextAt(end) >= limit || isPort(text, start, end) || text.startsWith('://', end - 1)) return -1
  let candidates = 0
  for (let index = end; index < limit && candidates < MOST_CANDIDATES; index += 1) {
    const code = codeAt(text, index)
    if (isOf(BLANK | QUOTE, code)) return -1
    if (code !== AT) continue
    candidates += 1
    if (endAt(pattern.host, text, index + 1) < 0) continue
    if (isDrawnWithSigns(text.slice(start, index), UNESCAPED_BITS)) return index
  }
  return -1
}

const AT = 64

function addressSpan(text: string, separator: number, nextAt: NextSign): Span | undefined {
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

/** `scheme://user:password@host`. A database's address goes with its login; a web host stays readable. */
export function findLogins(text: string): Span[] {
  const spans: Span[] = []
  const nextAt = createNextSign(text, '@')
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
    // Not base64, so not a Basic credential; `atob` has no other way to say so.
    return false
  }
}

/** Whether it was `basic` and not `bearer` that ends before a credential: by its last letter, since blanks alone stand between. */
function followsBasic(text: string, index: number): boolean {
  let end = index - 1
  while (text[end] === ' ' || text[end] === '\t') end -= 1
  return text[end] === 'c' || text[end] === 'C'
}

/** `Bearer …` and `Basic …`, in a header or wherever one was pasted. */
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
    const isSecret = isBasic ? isBasicLogin(word) : word.length >= 12 && looksDrawn(word)
    if (isSecret && !isPlaceholder(word)) spans.push({ start, end, kind: isBasic ? 'basic-auth' : 'bearer-token' })
  }
  return spans
}
