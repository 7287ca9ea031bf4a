import { randomBits } from './text/letter-odds.ts'
import { pattern } from './text/patterns.ts'
import { secretKindOfField } from './rules/secret-field.ts'
import { isFiller, looksDrawn, looksRandom } from './text/entropy.ts'
import { isDefaultPassword, isDrawnWithSigns, isPlaceholder } from './rules/secret-value.ts'

/** A shorter value is found in other words too often to be taken out of them. */
const SHORTEST = 6
const SHORTEST_NUMBER = 8
const SHORTEST_PHRASE = 12
/** So many words in a row are in no other text. */
const MANY_WORDS = 4
const SHORTEST_UNNAMED = 12
/** Behind any other name: model names, versions and hosts have fewer. */
const UNNAMED_BITS = 14
const LONG_UNNAMED = 16
/** Of a password with signs that its address has to escape. */
const UNESCAPED_BITS = 1

/** The value as a shell would see it, without quotes and without a comment behind it. */
function valueOf(written: string): string {
  const quoted = pattern.envQuoted.exec(written)
  if (quoted) return quoted[1] ?? quoted[2] ?? quoted[3] ?? ''
  const comment = written.indexOf(' #')
  return (comment < 0 ? written : written.slice(0, comment)).trim()
}

/**
 * Whether a value can be told from the words of a text: `production`, `localhost` and the name of the project are passwords in some env
 * file as well, and in every path of it.
 */
function isDistinct(value: string): boolean {
  if (value.length < SHORTEST || isPlaceholder(value) || isDefaultPassword(value)) return false
  if (pattern.digitsOnly.test(value)) return value.length >= SHORTEST_NUMBER && !isFiller(value)
  if (!pattern.hasLetter.test(value)) return value.length >= SHORTEST_NUMBER && !isFiller(value)
  return pattern.hasDigitOrSign.test(value) || looksDrawn(value)
}

/** The password in an address or in a connection string. */
function passwordWithin(value: string): string | undefined {
  const password = (pattern.envLogin.exec(value) ?? pattern.envField.exec(value))?.[1]
  if (password !== undefined) return isDistinct(password) ? password : undefined
  const unescaped = pattern.envUnescapedLogin.exec(value)?.[1] ?? ''
  // A port and a path can be read.
  return isDrawnWithSigns(unescaped, UNESCAPED_BITS) ? unescaped : undefined
}

function isToken(value: string): boolean {
  if (value.length < SHORTEST_UNNAMED || !pattern.tokenChars.test(value) || pattern.hashOrId.test(value)) return false
  return value.length >= LONG_UNNAMED ? looksRandom(value) : looksDrawn(value) && randomBits(value) >= UNNAMED_BITS
}

function isPhrase(name: string, value: string): boolean {
  const words = value.split(pattern.spaced)
  if (value.length < SHORTEST_PHRASE || words.length < 2 || isPlaceholder(value)) return false
  // Judged without its blanks, which no other secret has.
  return (words.length >= MANY_WORDS || isDistinct(value)) && secretKindOfField(name, words.join('')) !== undefined
}

function secretOf(name: string, value: string): string | undefined {
  if (pattern.pathOrAddress.test(value) || pattern.envField.test(value)) return passwordWithin(value)
  if (isPhrase(name, value)) return value
  if (!isDistinct(value)) return undefined
  return secretKindOfField(name, value) !== undefined || isToken(value) ? value : undefined
}

/** The values of an env file that are secret, and distinct enough to be looked for in any text. */
export function secretValuesOf(envFile: string): string[] {
  const values = new Set<string>()
  for (const line of envFile.split('\n')) {
    const [, name, written] = pattern.envLine.exec(line) ?? []
    if (name === undefined || written === undefined) continue
    const secret = secretOf(name, valueOf(written))
    if (secret !== undefined) values.add(secret)
  }
  return [...values]
}
