import { codeAt, isInClass, LETTER, MARGIN, NAME, LABELLED, QUOTE } from '../text/chars.ts'
import { pairAt } from './find-binding.ts'
import { pattern } from '../text/patterns.ts'
import { looksRandom } from '../text/entropy.ts'
import type { SecretName } from './find-binding.ts'
import { type NameStrength, isSecretBehindName } from '../rules/secret-value.ts'

const TAB = 9
const NEWLINE = 10
const SPACE = 32
const OPENING = 40
const DOT = 46
/** The shortest keyword of a label: `token`; shorter ones occur in code too often. */
const SHORTEST_NAME = 5
const SHORTEST_TOKEN = 16
/** For an unquoted value. */
const SHORTEST_PASSWORD = 6
const LONGEST_VALUE = 64

/** A label has one of these words before the name. */
const describing = new Set(
  'the my our your their a an this new old db database admin root api access auth user login ssh staging prod production test master wifi account'.split(
    ' ',
  ),
)
const LONGEST_DESCRIBING = 10

/** `for`, `of`, `to`, `on`, `in`, `at`, `and` or `here`, by their first two characters. */
const goingOn = new Set(['fo', 'of', 'to', 'on', 'in', 'at', 'an', 'he'].map((word) => pairAt(word, 0)))

/** Whether the name is the label's last word, judged by the next character. */
function mayBeLast(text: string, end: number): boolean {
  const code = codeAt(text, end)
  if (code !== SPACE) return !isInClass(NAME, code) || code === DOT
  const next = codeAt(text, end + 1)
  return next === OPENING || next === NEWLINE || goingOn.has(pairAt(text, end + 1))
}

/** The start of the word that ends at an index; the index itself when there is none. */
function wordStart(text: string, end: number): number {
  const limit = Math.max(0, end - LONGEST_DESCRIBING)
  let start = end
  while (start > limit && isInClass(LETTER, codeAt(text, start - 1))) start -= 1
  return start
}

const MOST_DESCRIBING = 3

/** The index before the words that describe the name. */
function beforeDescription(text: string, start: number): number {
  let index = start
  for (let count = 0; count < MOST_DESCRIBING && codeAt(text, index - 1) === SPACE; count += 1) {
    const word = wordStart(text, index - 1)
    if (word === index - 1 || !describing.has(text.slice(word, index - 1).toLowerCase())) return index
    index = word
  }
  return index
}

function skipWhitespaceBack(text: string, end: number): number {
  let index = end
  while (index > 0 && end - index < 4) {
    const code = codeAt(text, index - 1)
    if (code !== SPACE && code !== TAB) return index
    index -= 1
  }
  return index
}

/** What binds a label to its value. The first two always introduce a label; the others occur in code too. */
const pointing = ['<-', '\u2190']
const signs = [...pointing, '->', '=', '\u2192', '\u2013', '\u2014', ' -', ' is', ' was', ' as']

function byLastCode(words: readonly string[]): ReadonlyMap<number, readonly string[]> {
  return new Map(
    words.map((word) => [word.charCodeAt(word.length - 1), words.filter((one) => one.endsWith(word.slice(-1)))]),
  )
}

const pointingByLast = byLastCode(pointing)
const signsByLast = byLastCode(signs)

/** The end of the value that a label describes; undefined when nothing binds it to the name. */
function labelledEnd(text: string, start: number): number | undefined {
  const index = beforeDescription(text, start)
  if (codeAt(text, index - 1) === OPENING) return skipWhitespaceBack(text, index - 1)
  const tied = skipWhitespaceBack(text, index)
  if (tied === index) return undefined
  const known = (index === start ? pointingByLast : signsByLast).get(codeAt(text, tied - 1))
  const sign = known?.find((one) => text.endsWith(one, tied))
  return sign === undefined ? undefined : skipWhitespaceBack(text, tied - sign.trimStart().length)
}

function valueStart(text: string, end: number): number {
  let start = end
  while (start > 0 && end - start <= LONGEST_VALUE && isInClass(LABELLED, codeAt(text, start - 1))) start -= 1
  return start
}

/** Skips what is not part of the value: the letter of an escaped newline, a diff marker, a line number. */
function afterMargin(text: string, start: number): number {
  if (!isInClass(MARGIN, codeAt(text, start)) && !isInClass(MARGIN, codeAt(text, start - 1))) return start
  return start + (pattern.noteMargin.exec(text.slice(Math.max(0, start - 1), start + 12))?.[1]?.length ?? 0)
}

/** The range of the value before a label that ends with the name. */
export function findLabelledValue(
  text: string,
  { start, end }: SecretName,
): { start: number; end: number } | undefined {
  const before = codeAt(text, start - 1)
  if ((before !== SPACE && before !== OPENING) || end - start < SHORTEST_NAME || !mayBeLast(text, end)) return undefined
  const noted = labelledEnd(text, start)
  if (noted === undefined || noted === start || !pattern.noteEnd.test(text.slice(end, end + 12))) return undefined
  const valueEnd = isInClass(QUOTE, codeAt(text, noted - 1)) ? noted - 1 : noted
  const from = afterMargin(text, valueStart(text, valueEnd))
  return valueEnd - from < SHORTEST_PASSWORD || valueEnd - from > LONGEST_VALUE
    ? undefined
    : { start: from, end: valueEnd }
}

/** `hunter2 = the password`, `x7Kq… (api token)`: a label after the value. */
export function isLabelledSecret(value: string, strength: NameStrength): boolean {
  if (pattern.technical.test(value)) return false
  if (strength !== 'password' && (value.length < SHORTEST_TOKEN || !looksRandom(value))) return false
  return isSecretBehindName({ value, strength, isLiteral: false })
}
