import { randomBits } from '../text/letter-odds.ts'
import { pattern } from '../text/patterns.ts'
import { holdsMark } from '../text/span.ts'
import { type Texture, isFiller, looksDrawn, looksRandom, textureOf } from '../text/entropy.ts'

/** What people write where a secret would go, and what code writes to fetch one. */
export function isPlaceholder(value: string): boolean {
  return (
    holdsMark(value) ||
    pattern.template.test(value) ||
    (pattern.templateEdge.test(value) && !looksDrawn(value)) ||
    pattern.placeholderPhrase.test(value) ||
    pattern.placeholderWord.test(value)
  )
}

/** What a tool ships with or a tutorial writes: no secret to anybody. */
export function isDefaultPassword(value: string): boolean {
  return pattern.defaultPassword.test(value)
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
  if (!pattern.expression.test(value)) return false
  return (pattern.codeSign.test(value) || pattern.camelCase.test(value)) && !looksDrawn(value)
}

function isPasswordValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 4 || pattern.spaced.test(value) || isDefaultPassword(value)) return false
  const texture = textureOf(value)
  const { lower, upper, digits, symbols, length } = texture
  const classes = Number(lower > 0) + Number(upper > 0) + Number(digits > 0) + Number(symbols > 0)
  if (isLiteral) return classes >= 2 ? length >= 5 : length >= 6 && !pattern.passwordWord.test(value)
  if (looksDrawn(value, texture)) return true
  if (pattern.expression.test(value)) return length >= 6 && isChosen(value)
  return classes >= 2 && length >= 6 && (digits > 0 || classes >= 3)
}

/** `pass` is a verb, a verdict and a test's outcome before it is a password: only what can be nothing else counts. */
function isPassValue(candidate: Candidate): boolean {
  const { value } = candidate
  return candidate.isLiteral && isPasswordValue(candidate) && (pattern.hasDigit.test(value) || looksDrawn(value))
}

/** Long, with digits among its letters, and written as one token: enough behind a name that leaves no doubt. */
function isTokenLike(value: string, { digits, lower, upper }: Texture, leastDigits: number): boolean {
  if (value.length < 16 || digits < leastDigits || lower + upper === 0) return false
  return pattern.tokenChars.test(value) && !isFiller(value)
}

/** Capitals that nobody can say, as one-time passwords are made from. */
function isBase32(value: string): boolean {
  return pattern.base32.test(value) && textureOf(value.toLowerCase()).consonants >= 5 && !isFiller(value)
}

// Below, what is judged by a value's beginning comes before the patterns that read all of it.

function isSecretValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 8 || pattern.spaced.test(value)) return false
  if (pattern.digitsOnly.test(value)) return value.length >= 15 && !isFiller(value)
  const texture = textureOf(value)
  if (looksDrawn(value, texture)) return true
  if (texture.lower === 0 && isBase32(value)) return true
  return isTokenLike(value, texture, isLiteral ? 4 : 6) && (isLiteral || pattern.plainToken.test(value))
}

/** Behind `secret` itself a password may stand as well as a token. */
function isNamedSecretValue(candidate: Candidate): boolean {
  if (isSecretValue(candidate)) return true
  const { value } = candidate
  return value.length >= 8 && candidate.isLiteral && isChosen(value) && !isFiller(value)
}

function isKeyValue({ value, isLiteral }: Candidate): boolean {
  if (value.length < 16 || !pattern.tokenChars.test(value)) return false
  const texture = textureOf(value)
  if (looksRandom(value, texture)) return true
  return isLiteral && value.length >= 32 && isTokenLike(value, texture, 8)
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

/** `8h8&DS^Uxg`: drawn at random by so many bits, with signs in it that stand in code as well. */
export function isDrawnWithSigns(value: string, leastBits: number): boolean {
  if (value.length < 8 || randomBits(value) < leastBits) return false
  return !isFiller(value) && !isPlaceholder(value) && !pattern.regularExpression.test(value)
}

/** A password may begin with a slash; what is drawn at random and has no other is no path. */
function isPathOrAddress(value: string): boolean {
  if (!pattern.pathOrAddress.test(value)) return false
  return (value.lastIndexOf('/') > 0 && !pattern.signWithin.test(value)) || !looksDrawn(value)
}

/** Whether a value standing behind such a name is a secret. */
export function isSecretBehindName(candidate: Candidate): boolean {
  const { value, strength } = candidate
  if (!judges[strength](candidate) || isPathOrAddress(value)) return false
  return !isPlaceholder(value) && !pattern.algorithm.test(value)
}
