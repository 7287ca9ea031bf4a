import { randomBits } from './text/letter-odds.ts'
import { pattern } from './text/patterns.ts'
import { classifyField } from './rules/secret-keywords.ts'
import { isFiller, looksRandomAfterName, looksRandom } from './text/entropy.ts'
import { isDefaultPassword, isRandomWithPunctuation, isPlaceholder } from './rules/secret-value.ts'

/** A shorter value occurs in other words too often to be removed. */
const SHORTEST = 6
const SHORTEST_NUMBER = 8
const SHORTEST_PHRASE = 12
/** This many words in a row do not occur elsewhere by chance. */
const MANY_WORDS = 4
const SHORTEST_UNNAMED = 12
/** For a name without a secret keyword: model names, versions and hosts have fewer. */
const UNNAMED_BITS = 14
const LONG_UNNAMED = 16
/** For a password with characters that should have been escaped in its URL. */
const UNESCAPED_BITS = 1

/** The value as a shell reads it, without quotes and trailing comment. */
function valueOf(written: string): string {
  const quoted = pattern.envQuoted.exec(written)
  if (quoted) return quoted[1] ?? quoted[2] ?? quoted[3] ?? ''
  const comment = written.indexOf(' #')
  return (comment < 0 ? written : written.slice(0, comment)).trim()
}

/**
 * Whether a value differs from ordinary words: `production`, `localhost` and the project's name are passwords in some env
 * files, and part of every path.
 */
function isDistinct(value: string): boolean {
  if (value.length < SHORTEST || isPlaceholder(value) || isDefaultPassword(value)) return false
  if (pattern.digitsOnly.test(value)) return value.length >= SHORTEST_NUMBER && !isFiller(value)
  if (!pattern.hasLetter.test(value)) return value.length >= SHORTEST_NUMBER && !isFiller(value)
  return pattern.hasDigitOrSign.test(value) || looksRandomAfterName(value)
}

/** The password in an address or in a connection string. */
function passwordWithin(value: string): string | undefined {
  const password = (pattern.envLogin.exec(value) ?? pattern.envField.exec(value))?.[1]
  if (password !== undefined) return isDistinct(password) ? password : undefined
  const unescaped = pattern.envUnescapedLogin.exec(value)?.[1] ?? ''
  // A port and a path are readable, a random password is not.
  return isRandomWithPunctuation(unescaped, UNESCAPED_BITS) ? unescaped : undefined
}

function isToken(value: string): boolean {
  if (value.length < SHORTEST_UNNAMED || !pattern.tokenChars.test(value) || pattern.hashOrId.test(value)) return false
  return value.length >= LONG_UNNAMED
    ? looksRandom(value)
    : looksRandomAfterName(value) && randomBits(value) >= UNNAMED_BITS
}

function isPhrase(name: string, value: string): boolean {
  const words = value.split(pattern.spaced)
  if (value.length < SHORTEST_PHRASE || words.length < 2 || isPlaceholder(value)) return false
  // Judged without its spaces, which no other kind of secret has.
  return (words.length >= MANY_WORDS || isDistinct(value)) && classifyField(name, words.join('')) !== undefined
}

function findSecret(name: string, value: string): string | undefined {
  if (pattern.pathOrAddress.test(value) || pattern.envField.test(value)) return passwordWithin(value)
  if (isPhrase(name, value)) return value
  if (!isDistinct(value)) return undefined
  return classifyField(name, value) !== undefined || isToken(value) ? value : undefined
}

/** The values of an env file that are secret and distinct enough to be searched for in any text. */
export function extractSecretValues(envFile: string): string[] {
  const values = new Set<string>()
  for (const line of envFile.split('\n')) {
    const [, name, written] = pattern.envLine.exec(line) ?? []
    if (name === undefined || written === undefined) continue
    const secret = findSecret(name, valueOf(written))
    if (secret !== undefined) values.add(secret)
  }
  return [...values]
}
