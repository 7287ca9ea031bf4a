import { randomBits } from '../text/letter-odds.ts'
import { pattern } from '../text/patterns.ts'
import { holdsMark } from '../text/span.ts'
import { type Texture, isFiller, looksRandomAfterName, looksRandom, measureTexture } from '../text/entropy.ts'

/** A placeholder for a secret, or code that fetches one. */
export function isPlaceholder(value: string): boolean {
  return (
    holdsMark(value) ||
    pattern.template.test(value) ||
    (pattern.templateEdge.test(value) && !looksRandomAfterName(value)) ||
    pattern.placeholderPhrase.test(value) ||
    pattern.placeholderWord.test(value)
  )
}

/** A well-known default password, which is not a secret. */
export function isDefaultPassword(value: string): boolean {
  return pattern.defaultPassword.test(value)
}

/** How strongly a name marks its value as secret. */
export type NameStrength = 'password' | 'pass' | 'named-secret' | 'secret' | 'key' | 'bare-key'

export interface SecretCandidate {
  readonly value: string
  readonly strength: NameStrength
  /** Written as text (quoted, or in an env file): not an expression, a type or a word of prose. */
  readonly isLiteral: boolean
}

/** `hunter2`, `hunter2hunter2`: letters and digits as a person chooses them, not a variable name. */
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

/** An expression of code: `user.password`, `dbPass`. */
export function isVariable(value: string): boolean {
  if (!pattern.expression.test(value)) return false
  return (pattern.codeSign.test(value) || pattern.camelCase.test(value)) && !looksRandomAfterName(value)
}

function isPasswordValue({ value, isLiteral }: SecretCandidate): boolean {
  if (value.length < 4 || pattern.spaced.test(value) || isDefaultPassword(value)) return false
  const texture = measureTexture(value)
  const { lower, upper, digits, symbols, length } = texture
  const classes = Number(lower > 0) + Number(upper > 0) + Number(digits > 0) + Number(symbols > 0)
  if (isLiteral) return classes >= 2 ? length >= 5 : length >= 6 && !pattern.passwordWord.test(value)
  if (looksRandomAfterName(value, texture)) return true
  if (pattern.expression.test(value)) return length >= 6 && isChosen(value)
  return classes >= 2 && length >= 6 && (digits > 0 || classes >= 3)
}

/** `pass` is also a verb and a test outcome: only a value that can be nothing else counts. */
function isPassValue(candidate: SecretCandidate): boolean {
  const { value } = candidate
  return (
    candidate.isLiteral && isPasswordValue(candidate) && (pattern.hasDigit.test(value) || looksRandomAfterName(value))
  )
}

/** Long, with digits among its letters, and one token: enough after an unambiguous name. */
function isTokenLike(value: string, { digits, lower, upper }: Texture, leastDigits: number): boolean {
  if (value.length < 16 || digits < leastDigits || lower + upper === 0) return false
  return pattern.tokenChars.test(value) && !isFiller(value)
}

/** Random capitals, as in seeds of one-time passwords. */
function isBase32(value: string): boolean {
  return pattern.base32.test(value) && measureTexture(value.toLowerCase()).consonants >= 5 && !isFiller(value)
}

// Below, checks on a value's start come before the patterns that read all of it.

function isSecretValue({ value, isLiteral }: SecretCandidate): boolean {
  if (value.length < 8 || pattern.spaced.test(value)) return false
  if (pattern.digitsOnly.test(value)) return value.length >= 15 && !isFiller(value)
  const texture = measureTexture(value)
  if (looksRandomAfterName(value, texture)) return true
  if (texture.lower === 0 && isBase32(value)) return true
  return isTokenLike(value, texture, isLiteral ? 4 : 6) && (isLiteral || pattern.plainToken.test(value))
}

/** After `secret` itself, the value may be a password or a token. */
function isNamedSecretValue(candidate: SecretCandidate): boolean {
  if (isSecretValue(candidate)) return true
  const { value } = candidate
  return value.length >= 8 && candidate.isLiteral && isChosen(value) && !isFiller(value)
}

function isKeyValue({ value, isLiteral }: SecretCandidate): boolean {
  if (value.length < 16 || !pattern.tokenChars.test(value)) return false
  const texture = measureTexture(value)
  if (looksRandom(value, texture)) return true
  return isLiteral && value.length >= 32 && isTokenLike(value, texture, 8)
}

/** A bare `key` is as often that of a row, a map or a cache: hashes and ids stay. */
function isBareKeyValue(candidate: SecretCandidate): boolean {
  return isKeyValue(candidate) && candidate.value.length >= 20 && !pattern.hashOrId.test(candidate.value)
}

const judges = {
  password: isPasswordValue,
  pass: isPassValue,
  'named-secret': isNamedSecretValue,
  secret: isSecretValue,
  key: isKeyValue,
  'bare-key': isBareKeyValue,
} as const satisfies Record<NameStrength, (candidate: SecretCandidate) => boolean>

/** `8h8&DS^Uxg`: random by at least so many bits, with punctuation that also occurs in code. */
export function isRandomWithPunctuation(value: string, leastBits: number): boolean {
  if (value.length < 8 || randomBits(value) < leastBits) return false
  return !isFiller(value) && !isPlaceholder(value) && !pattern.regularExpression.test(value)
}

/** A password may start with a slash; a random value without another slash is not a path. */
function isPathOrAddress(value: string): boolean {
  if (!pattern.pathOrAddress.test(value)) return false
  return (value.lastIndexOf('/') > 0 && !pattern.signWithin.test(value)) || !looksRandomAfterName(value)
}

/** Whether a value after such a name is a secret. */
export function isSecretBehindName(candidate: SecretCandidate): boolean {
  const { value, strength } = candidate
  if (!judges[strength](candidate) || isPathOrAddress(value)) return false
  return !isPlaceholder(value) && !pattern.algorithm.test(value)
}
