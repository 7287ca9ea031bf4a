import { codeAt, isOf, LETTER, MARGIN, NAME, NOTED, QUOTE } from '../text/chars.ts'
import { pairAt } from './find-binding.ts'
import { pattern } from '../text/patterns.ts'
import { looksRandom } from '../text/entropy.ts'
import type { AnnouncedName } from './binding.ts'
import { type NameStrength, isSecretBehindName } from '../rules/secret-value.ts'

const TAB = 9
const NEWLINE = 10
const SPACE = 32
const OPENING = 40
const DOT = 46
/** The shortest announcing word of a note: `token`; what is shorter is met in code too often. */
const SHORTEST_NAME = 5
const SHORTEST_TOKEN = 16
/** Of one that speaks for itself, without quotes around it. */
const SHORTEST_PASSWORD = 6
const LONGEST_VALUE = 64

/** What a note has in front of the name; without one of them it is none. */
const describing = new Set(
  'the my our your their a an this new old db database admin root api access auth user login ssh staging prod production test master wifi account'.split(
    ' ',
  ),
)
const LONGEST_DESCRIBING = 10

/** `for`, `of`, `to`, `on`, `in`, `at`, `and` or `here`, by their first two characters. */
const goingOn = new Set(['fo', 'of', 'to', 'on', 'in', 'at', 'an', 'he'].map((word) => pairAt(word, 0)))

/** Whether the name is the note's last word, as far as the next character tells. */
function mayBeLast(text: string, end: number): boolean {
  const code = codeAt(text, end)
  if (code !== SPACE) return !isOf(NAME, code) || code === DOT
  const next = codeAt(text, end + 1)
  return next === OPENING || next === NEWLINE || goingOn.has(pairAt(text, end + 1))
}

/** Where the word of letters begins that ends at a place; the place itself when there is none. */
function wordStart(text: string, end: number): number {
  const limit = Math.max(0, end - LONGEST_DESCRIBING)
  let start = end
  while (start > limit && isOf(LETTER, codeAt(text, start - 1))) start -= 1
  return start
}

const MOST_DESCRIBING = 3

/** Before the words that describe the name. */
function beforeDescription(text: string, start: number): number {
  let index = start
  for (let count = 0; count < MOST_DESCRIBING && codeAt(text, index - 1) === SPACE; count += 1) {
    const word = wordStart(text, index - 1)
    if (word === index - 1 || !describing.has(text.slice(word, index - 1).toLowerCase())) return index
    index = word
  }
  return index
}

function skipBlanks(text: string, end: number): number {
  let index = end
  while (index > 0 && end - index < 4) {
    const code = codeAt(text, index - 1)
    if (code !== SPACE && code !== TAB) return index
    index -= 1
  }
  return index
}

/** What ties a note to its value. The first two say by themselves that a description follows; the others stand in code too. */
const pointing = ['<-', '\u2190']
const signs = [...pointing, '->', '=', '\u2192', '\u2013', '\u2014', ' -', ' is', ' was', ' as']

function byLastCode(words: readonly string[]): ReadonlyMap<number, readonly string[]> {
  return new Map(
    words.map((word) => [word.charCodeAt(word.length - 1), words.filter((one) => one.endsWith(word.slice(-1)))]),
  )
}

const pointingByLast = byLastCode(pointing)
const signsByLast = byLastCode(signs)

/** Where the value ends that a note is about; undefined when nothing ties it to the name. */
function notedEnd(text: string, start: number): number | undefined {
  const index = beforeDescription(text, start)
  if (codeAt(text, index - 1) === OPENING) return skipBlanks(text, index - 1)
  const tied = skipBlanks(text, index)
  if (tied === index) return undefined
  const known = (index === start ? pointingByLast : signsByLast).get(codeAt(text, tied - 1))
  const sign = known?.find((one) => text.endsWith(one, tied))
  return sign === undefined ? undefined : skipBlanks(text, tied - sign.trimStart().length)
}

function valueStart(text: string, end: number): number {
  let start = end
  while (start > 0 && end - start <= LONGEST_VALUE && isOf(NOTED, codeAt(text, start - 1))) start -= 1
  return start
}

/** Behind what is no part of the value: the letter of an escaped line end, the sign of a changed line, a line's number. */
function afterMargin(text: string, start: number): number {
  if (!isOf(MARGIN, codeAt(text, start)) && !isOf(MARGIN, codeAt(text, start - 1))) return start
  return start + (pattern.noteMargin.exec(text.slice(Math.max(0, start - 1), start + 12))?.[1]?.length ?? 0)
}

/** The place of the value that a note ends with the name of, as far as its surroundings tell. */
export function notedBefore(text: string, { start, end }: AnnouncedName): { start: number; end: number } | undefined {
  const before = codeAt(text, start - 1)
  if ((before !== SPACE && before !== OPENING) || end - start < SHORTEST_NAME || !mayBeLast(text, end)) return undefined
  const noted = notedEnd(text, start)
  if (noted === undefined || noted === start || !pattern.noteEnd.test(text.slice(end, end + 12))) return undefined
  const valueEnd = isOf(QUOTE, codeAt(text, noted - 1)) ? noted - 1 : noted
  const from = afterMargin(text, valueStart(text, valueEnd))
  return valueEnd - from < SHORTEST_PASSWORD || valueEnd - from > LONGEST_VALUE
    ? undefined
    : { start: from, end: valueEnd }
}

/** `hunter2 = the password`, `x7Kq… (api token)`: a note that says afterwards what it was. */
export function isNoted(value: string, strength: NameStrength): boolean {
  if (pattern.technical.test(value)) return false
  if (strength !== 'password' && (value.length < SHORTEST_TOKEN || !looksRandom(value))) return false
  return isSecretBehindName({ value, strength, isLiteral: false })
}
