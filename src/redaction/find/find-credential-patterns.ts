import { isBasicLogin } from './find-structures.ts'
import type { ContainsWord } from '../scan/trigram-filter.ts'
import { pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'
import { isFiller, looksRandom } from '../text/entropy.ts'
import { isDefaultPassword, isPlaceholder, isSecretBehindName, isVariable } from '../rules/secret-value.ts'

interface CredentialPattern {
  readonly kind: string
  /** The pattern runs only if the text contains one of these, where there are any. */
  readonly needles: readonly string[]
  readonly regexp: RegExp
}

/** Credentials recognized by their middle or end rather than by a prefix. */
const wholePatterns: readonly CredentialPattern[] = [
  { kind: 'telegram-token', needles: ['AA'], regexp: pattern.telegram },
  { kind: 'discord-token', needles: [], regexp: pattern.discordBot },
  { kind: 'azure-secret', needles: ['Q~'], regexp: pattern.azureSecret },
  { kind: 'sendgrid-key', needles: ['SG.'], regexp: pattern.sendgrid },
  { kind: 'terraform-token', needles: ['.atlasv1.'], regexp: pattern.terraform },
  { kind: 'mailchimp-key', needles: ['-us'], regexp: pattern.mailchimp },
  { kind: 'maxmind-key', needles: ['_mmk'], regexp: pattern.maxmind },
  {
    kind: 'password-hash',
    needles: ['$2', '$1$', '$5$', '$6$', '$y$', '$apr1$', '$argon2'],
    regexp: pattern.passwordHash,
  },
]

interface CapturePattern extends CredentialPattern {
  /** A further check on the captured value; the second argument is the whole match. */
  readonly isSecret?: (value: string, whole: string) => boolean
}

/** A chosen value: not a variable, a type or a default. */
function isWord(value: string): boolean {
  return !isVariable(value) && isSecretBehindName({ value, strength: 'password', isLiteral: true })
}

/** The user's name repeated, or the same type in a schema, is not a password. */
function isAnother(value: string, whole: string): boolean {
  return isWord(value) && !whole.slice(0, -value.length).includes(value)
}

function isMixed(value: string): boolean {
  return isSecretBehindName({ value, strength: 'password', isLiteral: false }) && !isVariable(value)
}

function isChosenPassword(value: string): boolean {
  return !isDefaultPassword(value) && !pattern.digitsOnly.test(value)
}

/** In lower case these are also words of prose: `a library identified by 'name'`. */
function isSqlPassword(value: string, whole: string): boolean {
  return whole.startsWith('identified') ? isMixed(value) : isChosenPassword(value)
}

/** The secret is the first group that matched. */
const capturePatterns: readonly CapturePattern[] = [
  { kind: 'signature', needles: ['sig=', 'gnature='], regexp: pattern.signature },
  { kind: 'signature', needles: ['response='], regexp: pattern.digestResponse },
  { kind: 'password', needles: ['-u'], regexp: pattern.userFlag, isSecret: isMixed },
  { kind: 'password', needles: ['password'], regexp: pattern.netrc },
  { kind: 'password', needles: ['passw'], regexp: pattern.loginLines, isSecret: isAnother },
  { kind: 'password', needles: ['redentials', 'reds', 'ogin'], regexp: pattern.credentials, isSecret: isMixed },
  { kind: 'password', needles: [':5432:', ':5433:', ':6432:', '*:*:'], regexp: pattern.passwordFile, isSecret: isWord },
  { kind: 'password', needles: ['@tcp('], regexp: pattern.sourceName, isSecret: isChosenPassword },
  { kind: 'password', needles: ['jdbc:oracle'], regexp: pattern.oracleLogin, isSecret: isChosenPassword },
  {
    kind: 'password',
    needles: ['requirepass', 'masterauth'],
    regexp: pattern.redisSetting,
    isSecret: isChosenPassword,
  },
  {
    kind: 'password',
    needles: ['password', 'PASSWORD', 'dentified', 'DENTIFIED'],
    regexp: pattern.sqlPassword,
    isSecret: isSqlPassword,
  },
  {
    kind: 'password',
    needles: ['net use', 'NET USE'],
    regexp: pattern.netUser,
    isSecret: isMixed,
  },
  { kind: 'password', needles: ['SecureString'], regexp: pattern.secureString, isSecret: isChosenPassword },
  { kind: 'password', needles: ['htpasswd'], regexp: pattern.htpasswd, isSecret: isChosenPassword },
  {
    kind: 'password',
    needles: ['Auth(', 'auth(', 'edential', 'mysqli'],
    regexp: pattern.loginCall,
    isSecret: isMixed,
  },
  { kind: 'basic-auth', needles: ['"auth'], regexp: pattern.registryAuth, isSecret: (value) => isBasicLogin(value) },
  { kind: 'secret', needles: ['echo'], regexp: pattern.piped },
  { kind: 'secret', needles: ['<<<'], regexp: pattern.hereString },
  { kind: 'secret', needles: ['secret'], regexp: pattern.secretBody },
  { kind: 'otp-secret', needles: ['otpauth'], regexp: pattern.otpSecret },
  { kind: 'private-key', needles: ['kty'], regexp: pattern.jwkPart, isSecret: (value) => looksRandom(value) },
  { kind: 'webhook', needles: ['/hooks/'], regexp: pattern.hookAddress, isSecret: (value) => looksRandom(value) },
]

type SpanFinder = (text: string) => Span[]

/** Not `matchAll`, which copies the pattern: most texts are short and hold nothing. */
function wholeSpans({ kind, regexp }: CredentialPattern): SpanFinder {
  return (text) => {
    const spans: Span[] = []
    regexp.lastIndex = 0
    for (let found = regexp.exec(text); found !== null; found = regexp.exec(text))
      if (!isFiller(found[0])) spans.push({ start: found.index, end: regexp.lastIndex, kind })
    return spans
  }
}

function capturedSpans({ kind, regexp, isSecret }: CapturePattern): SpanFinder {
  return (text) => {
    const spans: Span[] = []
    regexp.lastIndex = 0
    for (let found = regexp.exec(text); found !== null; found = regexp.exec(text)) {
      const secret = found[1] ?? found[2] ?? found[3] ?? ''
      const end = regexp.lastIndex
      if (isSecret?.(secret, found[0]) === false || isPlaceholder(secret) || isFiller(secret)) continue
      spans.push({ start: end - secret.length, end, kind })
    }
    return spans
  }
}

interface PatternSearch {
  readonly needles: readonly string[]
  readonly find: SpanFinder
}

const searches: readonly PatternSearch[] = [
  ...wholePatterns.map((shape) => ({ needles: shape.needles, find: wholeSpans(shape) })),
  ...capturePatterns.map((capture) => ({ needles: capture.needles, find: capturedSpans(capture) })),
]

export function findCredentialPatterns(text: string, contains: ContainsWord): Span[] {
  const spans: Span[] = []
  for (const { needles, find } of searches)
    if (needles.length === 0 || needles.some(contains)) spans.push(...find(text))
  return spans
}

/** How far before a literal the command that makes it secret may start. */
const CREATE_CHARS = 400

/** `kubectl create secret generic app --from-literal=name=value`; the same flag for a config map is not secret. */
export function findSecretLiterals(text: string, contains: ContainsWord): Span[] {
  if (!contains('--from-literal')) return []
  return Array.from(text.matchAll(pattern.fromLiteral)).flatMap((found) => {
    const before = text.slice(Math.max(0, found.index - CREATE_CHARS), found.index)
    const command = before.slice(before.lastIndexOf('\n') + 1)
    const value = found[1] ?? ''
    const end = found.index + found[0].length
    if (!pattern.createsSecret.test(command) || isPlaceholder(value)) return []
    return [{ start: end - value.length, end, kind: 'secret' }]
  })
}
