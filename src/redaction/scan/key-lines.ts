import { BLANK, codeAt, DIGIT, isOf, KEY_LETTER, LETTER } from '../text/chars.ts'
import { pattern } from '../text/patterns.ts'
import { looksRandom, textureOf } from '../text/entropy.ts'

/** No line of a key is longer, with all that may stand in front of it. */
const LINE_CHARS = 720
/** A word this long is a line of a key whatever stands in front of it, such as the path that grep prints. */
const LONG_WORD = 40
const SHORT_WORD = 16
/** What the usual programs fill a line with, less a little; so long a path has hardly ever capitals and digits. */
const FULL_LINE = 60
const FEW_OF_EACH = 3
/** Quotes, commas, a `+`, a table's border: what source code and tables put behind a line. */
const TRAILING_CHARS = 12

const NEWLINE = 10
const RETURN = 13
const BACKSLASH = 92
const SMALL_R = 114
const COLON = 58

function isLineEnd(code: number): boolean {
  return code === NEWLINE || code === RETURN
}

/** Where the line ends that a place is in, line end excluded; -1 when the line is too long to be part of a key. */
function lineEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + LINE_CHARS)
  for (let index = from; index < limit; index += 1) if (isLineEnd(text.charCodeAt(index))) return index
  return limit === text.length ? limit : -1
}

/** What editors, diffs, quotes, lists and source code put before a line: numbers and signs, no letters. */
function isMargin(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (isOf(LETTER, text.charCodeAt(index))) return false
  return true
}

interface Word {
  readonly start: number
  readonly end: number
}

/** The last run of a key's letters in a line, with at most a few other signs behind it. */
function lastWord(text: string, from: number, to: number): Word | undefined {
  let end = to
  if (codeAt(text, end - 1) === SMALL_R && codeAt(text, end - 2) === BACKSLASH) end -= 2
  const floor = Math.max(from, end - TRAILING_CHARS)
  while (end > floor && !isOf(KEY_LETTER, text.charCodeAt(end - 1))) end -= 1
  // A sum of strings in source code: `'MII…' +`.
  while (end > floor && !isOf(LETTER | DIGIT, text.charCodeAt(end - 1)) && codeAt(text, end - 2) <= 32) end -= 1
  while (end > floor && !isOf(KEY_LETTER, text.charCodeAt(end - 1))) end -= 1
  let start = end
  while (start > from && isOf(KEY_LETTER, text.charCodeAt(start - 1))) start -= 1
  return start === end ? undefined : { start, end }
}

/** Whether a line can be nothing but a line of a key: one long word at its end. */
export function isKeyLine(text: string, from: number, to: number): boolean {
  const word = lastWord(text, from, to)
  if (word === undefined) return false
  const length = word.end - word.start
  return length >= LONG_WORD || (length >= SHORT_WORD && isMargin(text, from, word.start))
}

/** Nothing, or only what stands before lines. */
export function isEmptyLine(text: string, from: number, to: number): boolean {
  return isMargin(text, from, to) && !holdsDigits(text, from, to, SHORT_WORD)
}

function holdsDigits(text: string, from: number, to: number, count: number): boolean {
  let found = 0
  for (let index = from; index < to; index += 1) if (isOf(DIGIT, text.charCodeAt(index))) found += 1
  return found >= count
}

/** `Proc-Type: 4,ENCRYPTED`: what stands between the first line of a key and its body. */
function isHeaderLine(text: string, from: number, to: number): boolean {
  let start = from
  while (start < to && !isOf(LETTER, text.charCodeAt(start))) start += 1
  const colon = text.slice(start, Math.min(to, start + 32)).indexOf(': ')
  if (colon < 3) return false
  for (let index = start; index < start + colon; index += 1)
    if (isOf(BLANK, text.charCodeAt(index)) || text.charCodeAt(index) === COLON) return false
  return true
}

/** The last line of a body, or PGP's checksum: too short to be told from a word by itself. */
export function isShortKeyLine(text: string, from: number, to: number): boolean {
  const word = lastWord(text, from, to)
  return word !== undefined && word.end - word.start < SHORT_WORD && isMargin(text, from, word.start)
}

/** Where the next line begins if the one at a place can be part of a key; -1 when it cannot. */
export function endOfKeyLine(text: string, from: number): number {
  const blank = endOfBlankWord(text, from)
  if (blank >= 0) return blank
  const end = lineEnd(text, from)
  if (end < 0) return -1
  const isOfKey = isKeyLine(text, from, end) || isHeaderLine(text, from, end) || isEmptyLine(text, from, end)
  if (!isOfKey) return -1
  const isPair = codeAt(text, end) === RETURN && codeAt(text, end + 1) === NEWLINE
  return Math.min(text.length, end + (isPair ? 2 : 1))
}

/** A key whose line ends became blanks: a long word, and a blank behind it. */
function endOfBlankWord(text: string, from: number): number {
  let start = from
  while (start < from + 4 && isOf(BLANK, codeAt(text, start))) start += 1
  let end = start
  while (end - start <= LINE_CHARS && isOf(KEY_LETTER, codeAt(text, end))) end += 1
  return end - start >= LONG_WORD && isOf(BLANK, codeAt(text, end)) ? end + 1 : -1
}

/** Where the long words begin that end before a place, each with blanks behind it. */
export function startOfBlankWords(text: string, to: number, floor: number): number {
  let start = to
  for (;;) {
    let end = start
    while (end > floor && end > start - 4 && isOf(BLANK, text.charCodeAt(end - 1))) end -= 1
    let word = end
    while (word > floor && end - word <= LINE_CHARS && isOf(KEY_LETTER, text.charCodeAt(word - 1))) word -= 1
    if (end === start || end - word < LONG_WORD) return start
    start = word
  }
}

/** The first or the last line of a key by itself, not a sentence about one. */
export function isArmour(text: string, from: number, to: number): boolean {
  const line = text.slice(from, to)
  const first = line.indexOf('----')
  const last = line.lastIndexOf('----')
  return last > first && line.includes('PRIVATE KEY') && isMargin(line, 0, first) && isMargin(line, last, line.length)
}

/**
 * Whether a text of several lines is a part of a key and of nothing else. With `isStrict` a short word is not enough:
 * the text stands between others of another kind, such as a status.
 */
export function isPartOfKey(text: string, isStrict: boolean): boolean {
  let holdsKey = false
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline
    const isBody = isKeyLine(text, from, to) || isArmour(text, from, to) || isHeaderLine(text, from, to)
    if (isBody || (!isStrict && isShortKeyLine(text, from, to))) holdsKey = true
    else if (!isEmptyLine(text, from, to)) return false
    from = to + 1
  }
  return holdsKey
}

/**
 * Whether a text is one line that can only be a key's body: paths, hashes and ids are as long and have the same letters, and stay.
 * Without a line before it that is one, a short line is not taken for the last of a body.
 */
export function isBodyLine(text: string, { isBehindBody }: { readonly isBehindBody: boolean }): boolean {
  if (text.length > LINE_CHARS || text.includes('\n')) return false
  const word = lastWord(text, 0, text.length)
  if (word === undefined || !isMargin(text, 0, word.start)) return false
  const letters = text.slice(word.start, word.end)
  if (pattern.hashOrId.test(letters) || (!isBehindBody && letters.length < LONG_WORD)) return false
  if (letters.endsWith('=') || looksRandom(letters)) return true
  const { lower, upper, digits } = textureOf(letters)
  return letters.length >= FULL_LINE && Math.min(lower, upper, digits) >= FEW_OF_EACH
}

const MOST_WORDS = 200

/** The long words of a text that holds a key: its body, line by line. */
export function wordsOfKey(text: string): readonly string[] {
  const words: string[] = []
  let end = 0
  for (let start = 0; start < text.length && words.length < MOST_WORDS; start = end + 1) {
    end = start
    while (end < text.length && isOf(KEY_LETTER, text.charCodeAt(end))) end += 1
    if (end - start >= LONG_WORD) words.push(text.slice(start, end))
  }
  return words
}
