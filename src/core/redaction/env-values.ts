import { pattern } from './patterns.ts'
import { secretKindOfField } from './redact-deep.ts'
import { looksRandom } from './texture.ts'
import { isPlaceholder } from './value.ts'

/** A shorter value is found in other words too often to be taken out of them. */
const SHORTEST = 8
const SHORTEST_UNNAMED = 16

/** The value as a shell would see it, without quotes and without a comment behind it. */
function valueOf(written: string): string {
  const quoted = pattern.envQuoted.exec(written)
  if (quoted) return quoted[1] ?? quoted[2] ?? quoted[3] ?? ''
  const comment = written.indexOf(' #')
  return (comment < 0 ? written : written.slice(0, comment)).trim()
}

/** `production`, `localhost` and `8080` are values too, and ordinary words: only a mixture of characters is told apart from text. */
function isDistinct(value: string): boolean {
  return value.length >= SHORTEST && pattern.hasLetter.test(value) && pattern.hasDigitOrSign.test(value)
}

function loginOf(value: string): string | undefined {
  const password = pattern.envLogin.exec(value)?.[1]
  return password !== undefined && isDistinct(password) && !isPlaceholder(password) ? password : undefined
}

function secretOf(name: string, value: string): string | undefined {
  if (pattern.pathOrAddress.test(value)) return loginOf(value)
  if (!isDistinct(value) || isPlaceholder(value)) return undefined
  if (secretKindOfField(name, value) !== undefined) return value
  const isToken = value.length >= SHORTEST_UNNAMED && pattern.tokenChars.test(value) && looksRandom(value)
  return isToken && !pattern.hashOrId.test(value) ? value : undefined
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
