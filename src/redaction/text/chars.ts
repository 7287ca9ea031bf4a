/** The index of the next occurrence at or after an index; the text's length when there is none. */
export type FindNext = (from: number) => number

/**
 * Caches its last result, so that repeated calls search the text about once. Calls with indexes that go up and
 * down a little read only what is between them again.
 */
export function createCharacterFinder(text: string, sign: string): FindNext {
  let from = 0
  let at = -1

  function search(start: number): number {
    const found = text.indexOf(sign, start)
    return found < 0 ? Number.POSITIVE_INFINITY : found
  }

  return (start) => {
    if (start > at) at = search(start)
    else if (start < from) {
      const between = text.slice(start, from + sign.length - 1).indexOf(sign)
      if (between >= 0) at = start + between
    }
    from = start
    return at
  }
}

/** JSON's escapes for newline and tab, also when they were escaped several times; longest first. */
const escapes = [16, 8, 4, 2, 1].flatMap((count) =>
  [
    ['n', '\n'],
    ['t', '\t'],
  ].map(([letter = '', blank = '']) => [`${'\\'.repeat(count)}${letter}`, `${' '.repeat(count)}${blank}`] as const),
)

/**
 * Replaces escaped newlines and tabs by the characters, padded to the same length: rules that work on lines and words find
 * the same as in the original file, at the same offsets.
 */
export function unescapeNewlines(text: string): string {
  if (!text.includes('\\n') && !text.includes('\\t')) return text
  let lines = text
  const isNested = text.includes('\\\\')
  for (const [escape, blank] of isNested ? escapes : escapes.slice(-2))
    if (lines.includes(escape)) lines = lines.replaceAll(escape, blank)
  return lines
}

/** Finds the next escaped newline or tab: the index of its last backslash. */
export function createEscapeFinder(text: string): FindNext {
  const nextLineEnd = createCharacterFinder(text, '\\n')
  const nextTab = createCharacterFinder(text, '\\t')
  return (from) => Math.min(nextLineEnd(from), nextTab(from))
}

/** Character classes: one bit each, so that one table lookup answers. */
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 4
/** A lower-case letter that is not a vowel; y counts as a vowel. */
export const CONSONANT = 8
/** Part of an identifier, including the characters that join its words. */
export const NAME = 16
/** Part of a section of a JSON web token. */
export const TOKEN_PART = 32
/** Part of an unquoted value in code or text. */
export const BARE = 64
/** Part of a value in an env file, where brackets and commas are text. */
export const ENV = 128
/** Part of a word, when searching for repeated values. */
export const DELIMITED = 256
/** Part of the section of a URL that may hold a login. */
export const USER_INFO = 512
/** Part of a base64 key. */
export const KEY_LETTER = 65_536
/** The first character of a suffix that may still belong to a name: `2`, `_prod`, `Value`. */
export const NAME_ENDING = 131_072
/** The last character of an escape that a word can follow: `\\n`, `%3D`, a terminal colour. */
export const ESCAPE_END = 524_288
export const WHITESPACE = 262_144
/** Part of a word in quoted text or between tags. */
export const SPELT = 1_024
/** Part of a type between a name and its `=`. */
export const TYPE = 2_048
/** Before the quote of a value: `b"`, `$"`, `["`, `\\"`. */
export const QUOTE_PREFIX = 4_096
export const QUOTE = 16_384
/** The first character of a word that can bind a value to a name: `is`, `was`, `of`, a type. */
export const LINK_WORD = 32_768
/** Part of a scheme before a credential: `Bearer`, `api-key`. */
export const SCHEME = 8_192

/** The first character after a name that has its value in another field: a quote or a newline. */
export const PAIR_CHAR = 1_048_576
/** What matters after a name that has its value in another field: the first character of `value`, a newline, the end of the fields. */
export const AHEAD_CHAR = 2_097_152
/** The last character of `name`, `key`, `id`, `variable` and `setting`. */
export const FIELD_END = 33_554_432
/** Before a name that is set by a flag or in a connection string. */
export const SETTING_CHAR = 67_108_864
/** Part of a field's value in a connection string. */
export const FIELD_VALUE = 134_217_728
/** Part of an element's text that needs no escapes. */
export const CDATA = 268_435_456
/** After the closing quote of a name, the first character that binds a value to it. */
export const BINDING_CHAR = 4_194_304
/** Part of a value that a trailing label describes: no bracket, no quote, no code punctuation. */
export const LABELLED = 8_388_608
/** The first character of a line's margin: the letter of an escaped newline, a diff marker, a line number. */
export const MARGIN = 16_777_216

export const LETTER = LOWER | UPPER
export const ALPHANUMERIC = LETTER | DIGIT
/** Classes defined by what ends them, so they hold everything beyond ASCII that is not whitespace. */
const OPEN = BARE | ENV | DELIMITED | USER_INFO | SPELT | LABELLED | FIELD_VALUE | CDATA

/** Whitespace beyond ASCII does not end what only certain characters end. */
const WIDE_WHITESPACE = WHITESPACE | CDATA

const ASCII = 128

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const LETTERS_AND_DIGITS = `${SMALL}${SMALL.toUpperCase()}0123456789`
const WHITESPACE_CHARS = '\t\n\v\f\r '
const QUOTES = '"\'`\\'

const table = new Int32Array(ASCII).fill(OPEN)

function toCodes(chars: string): number[] {
  return Array.from(chars, (char) => char.charCodeAt(0))
}

function add(kind: number, chars: string): void {
  for (const code of toCodes(chars)) table[code] = (table[code] ?? 0) | kind
}

function drop(kind: number, chars: string): void {
  for (const code of toCodes(chars)) table[code] = (table[code] ?? 0) & ~kind
}

add(LOWER, SMALL)
add(UPPER, SMALL.toUpperCase())
add(DIGIT, '0123456789')
add(CONSONANT, 'bcdfghjklmnpqrstvwxz')
add(NAME, `${LETTERS_AND_DIGITS}_-.`)
add(TOKEN_PART, `${LETTERS_AND_DIGITS}_-`)
add(NAME_ENDING, '0123456789_-bdlnoprstvBDLNOPRSTV')
add(WHITESPACE, WHITESPACE_CHARS)
add(ESCAPE_END, '0123456789abcdefABCDEFnrtm')
add(KEY_LETTER, `${LETTERS_AND_DIGITS}+/=`)
add(TYPE, `${LETTERS_AND_DIGITS}_.<>|[]*&' \t`)
add(QUOTE_PREFIX, 'brufBRUF@$[({\\')
add(QUOTE, '"\'`')
add(LINK_WORD, 'iwosStcfale&[')
add(PAIR_CHAR, '"\'\\\n\r')
add(AHEAD_CHAR, 'vV\n<>{}')
add(MARGIN, 'nrt+-0123456789')
add(FIELD_END, 'eydgEYDG')
add(SETTING_CHAR, ' \t=;"\'\\')
add(BINDING_CHAR, ']*[|?.+:=-,){')
add(SCHEME, `${SMALL}${SMALL.toUpperCase()}-`)
drop(BARE, `${WHITESPACE_CHARS}${QUOTES}\u001b,;&|<>(){}[]`)
drop(ENV, `${WHITESPACE_CHARS}${QUOTES}\u001b;&|<>`)
drop(DELIMITED, `${WHITESPACE_CHARS}${QUOTES},;|<>(){}[]`)
drop(LABELLED, `${WHITESPACE_CHARS}${QUOTES}()<>,;=`)
drop(FIELD_VALUE, `${WHITESPACE_CHARS}"'\`;,=(){}`)
drop(CDATA, '<]')
drop(SPELT, `${WHITESPACE_CHARS}{}`)
drop(USER_INFO, `${WHITESPACE_CHARS}${QUOTES}/?#<>`)

/** Whitespace beyond ASCII, as in `\s`. */
function isWideWhitespace(code: number): boolean {
  if (code < 0x2000) return code === 0xa0 || code === 0x1680
  if (code > 0x205f) return code === 0x3000 || code === 0xfeff
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f
}

/**
 * The character code at an index, or 0 outside the text. Reading a string out of bounds
 * works too, but V8 then deoptimizes that call site for good.
 */
export function codeAt(text: string, index: number): number {
  return index >= 0 && index < text.length ? text.charCodeAt(index) : 0
}

/** The classes of a character. */
export function getCharClasses(code: number): number {
  if (code < ASCII) return table[code] ?? 0
  return isWideWhitespace(code) ? WIDE_WHITESPACE : OPEN
}

export function isInClass(kind: number, code: number): boolean {
  return (getCharClasses(code) & kind) !== 0
}

/** The lower-case code of a letter. */
export function small(code: number): number {
  return code | 32
}

/** The end of the run of a class that starts at `from`; `from` itself when there is none. */
export function endOfRun(kind: number, text: string, from: number, atMost: number): number {
  const limit = Math.min(text.length, from + atMost)
  let end = from
  while (end < limit && isInClass(kind, text.charCodeAt(end))) end += 1
  return end
}

const BACKSLASH = 92
/** The most backslashes that escape a quote. */
const MOST_ESCAPES = 15

/** The index after the quote, escaped or not, at `from`; -1 when there is none. */
export function afterQuote(text: string, from: number): number {
  let index = from
  while (index < from + MOST_ESCAPES && codeAt(text, index) === BACKSLASH) index += 1
  return isInClass(QUOTE, codeAt(text, index)) ? index + 1 : -1
}
