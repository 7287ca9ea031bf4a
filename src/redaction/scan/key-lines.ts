import { WHITESPACE, codeAt, DIGIT, isInClass, KEY_LETTER, LETTER } from '../text/chars.ts'
import { pattern } from '../text/patterns.ts'
import { looksRandom, measureTexture } from '../text/entropy.ts'

/** The longest line of a key, with its margin. */
const LINE_CHARS = 720
/** A word this long is a line of a key whatever precedes it, such as the path that grep prints. */
const LONG_WORD = 40
const SHORT_WORD = 16
/** Slightly less than common line lengths; a path this long hardly ever has capitals and digits. */
const FULL_LINE = 60
const FEW_OF_EACH = 3
/** Quotes, commas, a `+`, a table border: what may follow a line in source code and tables. */
const TRAILING_CHARS = 12

const NEWLINE = 10
const RETURN = 13
const BACKSLASH = 92
const SMALL_R = 114
const COLON = 58

export function isNewline(code: number): boolean {
  return code === NEWLINE || code === RETURN
}

/** The end of the line, newline excluded; -1 when the line is too long to be part of a key. */
function lineEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + LINE_CHARS)
  for (let index = from; index < limit; index += 1) if (isNewline(text.charCodeAt(index))) return index
  return limit === text.length ? limit : -1
}

/** A line prefix from editors, diffs, quotes, lists and source code: numbers and punctuation, no letters. */
function isMargin(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (isInClass(LETTER, text.charCodeAt(index))) return false
  return true
}

interface KeyLineWord {
  readonly start: number
  readonly end: number
}

/** The last run of base64 characters in a line, with at most a few other characters after it. */
function lastWord(text: string, from: number, to: number): KeyLineWord | undefined {
  let end = to
  if (codeAt(text, end - 1) === SMALL_R && codeAt(text, end - 2) === BACKSLASH) end -= 2
  const floor = Math.max(from, end - TRAILING_CHARS)
  while (end > floor && !isInClass(KEY_LETTER, text.charCodeAt(end - 1))) end -= 1
  // Concatenated strings in source code: `'MII…' +`.
  while (end > floor && !isInClass(LETTER | DIGIT, text.charCodeAt(end - 1)) && codeAt(text, end - 2) <= 32) end -= 1
  while (end > floor && !isInClass(KEY_LETTER, text.charCodeAt(end - 1))) end -= 1
  let start = end
  while (start > from && isInClass(KEY_LETTER, text.charCodeAt(start - 1))) start -= 1
  return start === end ? undefined : { start, end }
}

/** Whether a line can only be a line of a key: one long word at its end. */
export function isKeyLine(text: string, from: number, to: number): boolean {
  const word = lastWord(text, from, to)
  if (word === undefined) return false
  const length = word.end - word.start
  return length >= LONG_WORD || (length >= SHORT_WORD && isMargin(text, from, word.start))
}

/** Empty, or only a margin. */
export function isEmptyLine(text: string, from: number, to: number): boolean {
  return isMargin(text, from, to) && !holdsDigits(text, from, to, SHORT_WORD)
}

function holdsDigits(text: string, from: number, to: number, count: number): boolean {
  let found = 0
  for (let index = from; index < to; index += 1) if (isInClass(DIGIT, text.charCodeAt(index))) found += 1
  return found >= count
}

/** `Proc-Type: 4,ENCRYPTED`: a header between the first line of a key and its body. */
function isHeaderLine(text: string, from: number, to: number): boolean {
  let start = from
  while (start < to && !isInClass(LETTER, text.charCodeAt(start))) start += 1
  const colon = text.slice(start, Math.min(to, start + 32)).indexOf(': ')
  if (colon < 3) return false
  for (let index = start; index < start + colon; index += 1)
    if (isInClass(WHITESPACE, text.charCodeAt(index)) || text.charCodeAt(index) === COLON) return false
  return true
}

/** The last line of a body, or the PGP checksum: alone too short to differ from a word. */
export function isShortKeyLine(text: string, from: number, to: number): boolean {
  const word = lastWord(text, from, to)
  return word !== undefined && word.end - word.start < SHORT_WORD && isMargin(text, from, word.start)
}

/** The start of the next line if this one can be part of a key; -1 when it cannot. */
export function endOfKeyLine(text: string, from: number): number {
  const blank = endOfSpacedWord(text, from)
  if (blank >= 0) return blank
  const end = lineEnd(text, from)
  if (end < 0) return -1
  const isOfKey = isKeyLine(text, from, end) || isHeaderLine(text, from, end) || isEmptyLine(text, from, end)
  if (!isOfKey) return -1
  const isPair = codeAt(text, end) === RETURN && codeAt(text, end + 1) === NEWLINE
  return Math.min(text.length, end + (isPair ? 2 : 1))
}

/** A key whose newlines became spaces: a long word and a space after it. */
function endOfSpacedWord(text: string, from: number): number {
  let start = from
  while (start < from + 4 && isInClass(WHITESPACE, codeAt(text, start))) start += 1
  let end = start
  while (end - start <= LINE_CHARS && isInClass(KEY_LETTER, codeAt(text, end))) end += 1
  return end - start >= LONG_WORD && isInClass(WHITESPACE, codeAt(text, end)) ? end + 1 : -1
}

/** The start of the long words before an index, each with whitespace after it. */
export function startOfSpacedWords(text: string, to: number, floor: number): number {
  let start = to
  for (;;) {
    let end = start
    while (end > floor && end > start - 4 && isInClass(WHITESPACE, text.charCodeAt(end - 1))) end -= 1
    let word = end
    while (word > floor && end - word <= LINE_CHARS && isInClass(KEY_LETTER, text.charCodeAt(word - 1))) word -= 1
    if (end === start || end - word < LONG_WORD) return start
    start = word
  }
}

/** The first or last line of a key, not a sentence that mentions it. */
export function isArmour(text: string, from: number, to: number): boolean {
  const line = text.slice(from, to)
  const first = line.indexOf('----')
  const last = line.lastIndexOf('----')
  return last > first && line.includes('PRIVATE KEY') && isMargin(line, 0, first) && isMargin(line, last, line.length)
}

/**
 * Whether a multi-line text can only be part of a key. With `isStrict` a short word is not enough:
 * the neighbouring texts are of another kind, such as a status.
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
 * Whether a one-line text can only be a key's body: paths, hashes and ids, which can be as long, stay.
 * A short line counts only after a body line.
 */
export function isBodyLine(text: string, { isBehindBody }: { readonly isBehindBody: boolean }): boolean {
  if (text.length > LINE_CHARS || text.includes('\n')) return false
  const word = lastWord(text, 0, text.length)
  if (word === undefined || !isMargin(text, 0, word.start)) return false
  const letters = text.slice(word.start, word.end)
  if (pattern.hashOrId.test(letters) || (!isBehindBody && letters.length < LONG_WORD)) return false
  if (letters.endsWith('=') || looksRandom(letters)) return true
  const { lower, upper, digits } = measureTexture(letters)
  return letters.length >= FULL_LINE && Math.min(lower, upper, digits) >= FEW_OF_EACH
}

const MOST_WORDS = 200

/** The body lines of a text that contains a key. */
export function listKeyLines(text: string): readonly string[] {
  const words: string[] = []
  let end = 0
  for (let start = 0; start < text.length && words.length < MOST_WORDS; start = end + 1) {
    end = start
    while (end < text.length && isInClass(KEY_LETTER, text.charCodeAt(end))) end += 1
    if (end - start >= LONG_WORD) words.push(text.slice(start, end))
  }
  return words
}
