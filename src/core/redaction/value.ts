import { pattern } from './patterns.ts'
import { holdsMark } from './span.ts'

/** Enough to tell; a longer value is judged by its beginning, so that judging never costs more than this. */
const JUDGED_CHARS = 256

interface Texture {
  readonly length: number
  readonly lower: number
  readonly upper: number
  readonly digits: number
  readonly symbols: number
  /** Changes of character class inside a word, per character: high where nobody chose the letters. */
  readonly breaks: number
  readonly longestRun: number
  /** Small consonants in a row: no language strings seven of them together. */
  readonly consonants: number
  /** How often each character occurs, by its low seven bits. */
  readonly counts: Uint16Array
}

const LOWER = 0
const UPPER = 1
const DIGIT = 2
const SYMBOL = 3

function classOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  return SYMBOL
}

/** With y: it stands for one often enough. */
function isVowel(code: number): boolean {
  return code === 97 || code === 101 || code === 105 || code === 111 || code === 117 || code === 121
}

/** `Word` is one word and `HTTPServer` two: a single capital opens a word, a row of them is one. */
function isBreak(before: number, current: number, capitals: number): boolean {
  if (before === SYMBOL || current === SYMBOL || before === current) return false
  return !(before === UPPER && current === LOWER && capitals === 1)
}

/** Shannon's measure per character. */
function entropyBits(counts: Uint16Array, length: number): number {
  let sum = 0
  for (const count of counts) if (count > 1) sum += count * Math.log2(count)
  return Math.log2(length) - sum / length
}

function textureOf(value: string): Texture {
  const length = Math.min(value.length, JUDGED_CHARS)
  const classes = [0, 0, 0, 0]
  const counts = new Uint16Array(128)
  let before = SYMBOL
  let capitals = 0
  let breaks = 0
  let run = 0
  let longestRun = 0
  let row = 0
  let consonants = 0
  let last = -1
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    const current = classOf(code)
    classes[current] = (classes[current] ?? 0) + 1
    counts[code & 127] = (counts[code & 127] ?? 0) + 1
    if (isBreak(before, current, capitals)) breaks += 1
    capitals = current === UPPER ? capitals + 1 : 0
    run = code === last ? run + 1 : 1
    if (run > longestRun) longestRun = run
    row = current === LOWER && !isVowel(code) ? row + 1 : 0
    if (row > consonants) consonants = row
    last = code
    before = current
  }
  const [lower = 0, upper = 0, digits = 0, symbols = 0] = classes
  return {
    length,
    lower,
    upper,
    digits,
    symbols,
    breaks: breaks / Math.max(1, length - symbols),
    longestRun,
    consonants,
    counts,
  }
}

/** `xxxxxxxx`, `0000…`, `FakeFakeFake`: keeps the shape of a secret and holds none. */
export function isFiller(value: string): boolean {
  return isFillerTexture(textureOf(value)) || pattern.crossedOut.test(value)
}

function isFillerTexture({ length, counts, longestRun }: Texture): boolean {
  const expected = length >= 24 ? 2.7 : length >= 12 ? 2.3 : 1.5
  return longestRun > Math.max(8, length / 3) || entropyBits(counts, Math.max(1, length)) < expected
}

/** Several classes of character that change without regard for words, or letters that nobody can say. */
function isScattered({ length, lower, upper, digits, breaks, consonants }: Texture): boolean {
  const isShort = length < 16
  if (lower + upper === 0) return false
  if (!isShort && consonants >= (digits > 0 ? 6 : 7)) return true
  if (digits === 0) return !isShort && lower > 0 && upper > 0 && breaks >= 0.3
  if (lower > 0 && upper > 0) return breaks >= (isShort ? 0.3 : 0.24)
  if (upper > 0) return breaks >= 0.14
  return breaks >= (isShort ? 0.27 : 0.2)
}

/** Drawn at random, as far as letters can tell. */
export function looksRandom(value: string): boolean {
  if (value.length < 8) return false
  const texture = textureOf(value)
  return isScattered(texture) && !isFillerTexture(texture) && !pattern.crossedOut.test(value)
}

/** What people write where a secret would go, and what code writes to fetch one. */
export function isPlaceholder(value: string): boolean {
  return (
    holdsMark(value) ||
    pattern.template.test(value) ||
    pattern.placeholderPhrase.test(value) ||
    pattern.placeholderWord.test(value)
  )
}

/** How much the name in front of a value says about it. */
export type NameStrength = 'password' | 'pass' | 'named-secret' | 'secret' | 'key' | 'bare-key'

export interface Candidate {
  readonly value: string
  readonly strength: NameStrength
  /** Written as text (in quotes, or as the value in an env file): not an expression, a type or a word of prose. */
  readonly isLiteral: boolean
}

/** `hunter2`, `hunter2hunter2`: letters and digits as a person chooses them, and no name of a variable. */
function isChosen(value: string): boolean {
  if (pattern.wordAndDigits.test(value)) return true
  return (
    pattern.lettersAndDigits.test(value) &&
    pattern.hasDigit.test(value) &&
    pattern.hasLetter.test(value) &&
    !pattern.camelCase.test(value) &&
    !pattern.passwordWord.test(value)
  )
}

/** What code would put there: `user.password`, `dbPass`. */
export function isVariable(value: string): boolean {
  return pattern.expression.test(value) && (pattern.codeSign.test(value) || pattern.camelCase.test(value))
}

function isPasswordValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 4 || pattern.spaced.test(value)) return false
  const { lower, upper, digits, symbols, length } = textureOf(value)
  const classes = Number(lower > 0) + Number(upper > 0) + Number(digits > 0) + Number(symbols > 0)
  if (pattern.defaultPassword.test(value)) return false
  if (isLiteral) return classes >= 2 ? length >= 5 : length >= 6 && !pattern.passwordWord.test(value)
  if (pattern.expression.test(value) && !looksRandom(value)) return length >= 6 && isChosen(value)
  return classes >= 2 && length >= 6 && (digits > 0 || classes >= 3)
}

/** `pass` is a verb, a verdict and a test's outcome before it is a password: only what can be nothing else counts. */
function isPassValue(candidate: Candidate): boolean {
  return candidate.isLiteral && isPasswordValue(candidate) && pattern.hasDigit.test(candidate.value)
}

/** Long, with digits among its letters, and written as one token: enough behind a name that leaves no doubt. */
function isTokenLike(value: string, leastDigits: number): boolean {
  if (value.length < 16 || !pattern.tokenChars.test(value)) return false
  const { digits, lower, upper } = textureOf(value)
  return digits >= leastDigits && lower + upper > 0 && !isFiller(value)
}

function isSecretValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 8 || pattern.spaced.test(value)) return false
  if (pattern.digitsOnly.test(value)) return value.length >= 15 && !isFiller(value)
  if (looksRandom(value)) return true
  return isLiteral ? isTokenLike(value, 4) : pattern.plainToken.test(value) && isTokenLike(value, 6)
}

/** Behind `secret` itself a password may stand as well as a token. */
function isNamedSecretValue(candidate: Candidate): boolean {
  if (isSecretValue(candidate)) return true
  const { value } = candidate
  return value.length >= 8 && candidate.isLiteral && isChosen(value) && !isFiller(value)
}

function isKeyValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 16 || !pattern.tokenChars.test(value)) return false
  return looksRandom(value) || (isLiteral && value.length >= 32 && isTokenLike(value, 8))
}

/** A key without a first name is as often a row's, a map's or a cache's: hashes and ids stay. */
function isBareKeyValue(candidate: Candidate): boolean {
  return isKeyValue(candidate) && candidate.value.length >= 20 && !pattern.hashOrId.test(candidate.value)
}

const judges = {
  password: isPasswordValue,
  pass: isPassValue,
  'named-secret': isNamedSecretValue,
  secret: isSecretValue,
  key: isKeyValue,
  'bare-key': isBareKeyValue,
} as const satisfies Record<NameStrength, (candidate: Candidate) => boolean>

/** Whether a value standing behind such a name is a secret. */
export function isSecretBehindName(candidate: Candidate): boolean {
  const { value, strength } = candidate
  return judges[strength](candidate) && !isPlaceholder(value) && !pattern.pathOrAddress.test(value)
}
