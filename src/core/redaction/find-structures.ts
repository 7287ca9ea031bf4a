import { endOfRun, TOKEN_PART, USER_INFO } from './chars.ts'
import { endAt, pattern } from './patterns.ts'
import type { Span } from './span.ts'
import { isFiller, looksRandom } from './texture.ts'
import { isPlaceholder } from './value.ts'

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
  return password === user || isPlaceholder(password) || isFiller(password) || pattern.defaultPassword.test(password)
}

const USER_INFO_CHARS = 320
const SHORTEST_PASSWORD = 4
/** `https://<token>@host`: a name is shorter, or can be said. */
const SHORTEST_TOKEN = 16

function addressSpan(text: string, separator: number): Span | undefined {
  const start = separator + 3
  const end = endOfRun(USER_INFO, text, start, USER_INFO_CHARS)
  if (end - start <= SHORTEST_PASSWORD) return undefined
  const authority = text.slice(start, end)
  const at = authority.lastIndexOf('@')
  const colon = authority.indexOf(':')
  if (at >= SHORTEST_TOKEN && (colon < 0 || colon > at)) {
    const token = authority.slice(0, at)
    return looksRandom(token) && !isPlaceholder(token) ? { start, end: start + at, kind: 'login' } : undefined
  }
  if (at < 0 || colon < 0 || at - colon <= SHORTEST_PASSWORD) return undefined
  const user = authority.slice(0, colon)
  const password = authority.slice(colon + 1, at)
  if (isPlaceholder(user) || isDefaultLogin(user, password)) return undefined
  const scheme = pattern.schemeName.exec(text.slice(Math.max(0, separator - 24), separator))?.[0] ?? ''
  if (!pattern.databaseScheme.test(scheme)) return { start, end: start + at, kind: 'login' }
  return { start, end: endAt(pattern.hostAndPort, text, start + at), kind: 'connection' }
}

/** `scheme://user:password@host`. A database's address goes with its login; a web host stays readable. */
export function findLogins(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const span = addressSpan(text, at)
    if (span) spans.push(span)
  }
  return spans
}

function isBasicLogin(word: string): boolean {
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
    const isSecret = isBasic ? isBasicLogin(word) : word.length >= 12 && looksRandom(word)
    if (isSecret && !isPlaceholder(word)) spans.push({ start, end, kind: isBasic ? 'basic-auth' : 'bearer-token' })
  }
  return spans
}

interface Shape {
  readonly kind: string
  /** Without this literal in the text the pattern is not run. */
  readonly needle: string
  readonly regexp: RegExp
}

/** Credentials known by their middle or their end rather than by how they begin. */
const shapes: readonly Shape[] = [
  { kind: 'telegram-token', needle: 'AA', regexp: pattern.telegram },
  { kind: 'discord-token', needle: '.', regexp: pattern.discordBot },
  { kind: 'azure-secret', needle: 'Q~', regexp: pattern.azureSecret },
  { kind: 'sendgrid-key', needle: 'SG.', regexp: pattern.sendgrid },
  { kind: 'terraform-token', needle: '.atlasv1.', regexp: pattern.terraform },
  { kind: 'mailchimp-key', needle: '-us', regexp: pattern.mailchimp },
  { kind: 'maxmind-key', needle: '_mmk', regexp: pattern.maxmind },
]

/** The secret is the first group. */
const captures: readonly Shape[] = [
  { kind: 'signature', needle: 'sig=', regexp: pattern.signature },
  { kind: 'password', needle: '-u', regexp: pattern.userFlag },
  { kind: 'password', needle: 'login', regexp: pattern.netrc },
  { kind: 'password', needle: 'redis-cli', regexp: pattern.redisFlag },
  { kind: 'password', needle: 'ldap', regexp: pattern.ldapFlag },
  { kind: 'secret', needle: 'echo', regexp: pattern.piped },
  { kind: 'secret', needle: 'secret', regexp: pattern.secretBody },
]

export function findShapes(text: string): Span[] {
  const spans: Span[] = []
  for (const { kind, needle, regexp } of shapes) {
    if (!text.includes(needle)) continue
    for (const found of text.matchAll(regexp))
      if (!isFiller(found[0])) spans.push({ start: found.index, end: found.index + found[0].length, kind })
  }
  for (const { kind, needle, regexp } of captures) {
    if (!text.includes(needle)) continue
    for (const found of text.matchAll(regexp)) {
      const secret = found[1] ?? ''
      const end = found.index + found[0].length
      if (!isPlaceholder(secret) && !isFiller(secret)) spans.push({ start: end - secret.length, end, kind })
    }
  }
  return spans
}

/** The part of a command line that is looked at for the program's name. */
const COMMAND_CHARS = 160

/** `mysql -uroot -pS3cret`, `sshpass -p S3cret`: elsewhere `-p` is a port, a path or a flag. */
export function findShortPasswords(text: string): Span[] {
  if (!pattern.takesShortPassword.test(text)) return []
  const spans: Span[] = []
  for (const found of text.matchAll(pattern.shortPassword)) {
    const before = text.slice(Math.max(0, found.index - COMMAND_CHARS), found.index)
    const command = before.split(pattern.commandBreak).at(-1) ?? ''
    const password = found[1] ?? ''
    const end = found.index + found[0].length
    if (pattern.takesShortPassword.test(command) && !isPlaceholder(password) && !pattern.digitsOnly.test(password))
      spans.push({ start: end - password.length, end, kind: 'password' })
  }
  return spans
}

/** How far before a literal the command may begin that makes a secret of it. */
const CREATE_CHARS = 400

/** `kubectl create secret generic app --from-literal=name=value`; of a config map the same flag is no secret. */
export function findSecretLiterals(text: string): Span[] {
  if (!text.includes('--from-literal')) return []
  return Array.from(text.matchAll(pattern.fromLiteral)).flatMap((found) => {
    const before = text.slice(Math.max(0, found.index - CREATE_CHARS), found.index)
    const command = before.slice(before.lastIndexOf('\n') + 1)
    const value = found[1] ?? ''
    const end = found.index + found[0].length
    if (!pattern.createsSecret.test(command) || isPlaceholder(value)) return []
    return [{ start: end - value.length, end, kind: 'secret' }]
  })
}

/** The values of a Kubernetes manifest of kind Secret, in YAML or JSON: base64 hides nothing. */
export function findManifestSecrets(text: string): Span[] {
  if (!text.includes('Secret') || !pattern.kubernetesSecret.test(text)) return []
  const data = pattern.kubernetesSection.exec(text)?.index
  if (data === undefined) return []
  const spans: Span[] = []
  for (const found of text.matchAll(pattern.kubernetesData)) {
    const [whole, name = '', value = ''] = found
    if (found.index < data || isPlaceholder(value)) continue
    const start = found.index + whole.indexOf(value, name.length)
    spans.push({ start, end: start + value.length, kind: 'secret' })
  }
  return [...spans, ...jsonFields(text, data)]
}

/** In the object that begins at a place, to its end: no value of a Secret is an object itself. */
function jsonFields(text: string, section: number): Span[] {
  if (text[section] !== '"') return []
  const close = text.indexOf('}', section)
  const object = text.slice(section, close < 0 ? undefined : close)
  return Array.from(object.matchAll(pattern.kubernetesField)).flatMap((found) => {
    const value = found[1] ?? ''
    const end = section + found.index + found[0].length - 1
    return isPlaceholder(value) ? [] : [{ start: end - value.length, end, kind: 'secret' }]
  })
}
