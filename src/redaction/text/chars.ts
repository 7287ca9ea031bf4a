/** What a character may be part of: one bit each, so that one look at a table answers. */
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 4
/** A small letter that is no vowel; y is one, because it stands for one often enough. */
export const CONSONANT = 8
/** Of an identifier, with the signs that join its words. */
export const NAME = 16
/** Of a part of a web token. */
export const TOKEN_PART = 32
/** Of a value that stands without quotes among code or text. */
export const BARE = 64
/** Of a value in an env file, where brackets and commas are text. */
export const ENV = 128
/** Of a word, as far as words are looked up again. */
export const DELIMITED = 256
/** Of the part of an address that may hold a login. */
export const USER_INFO = 512
/** Of a key in base64. */
export const KEY_LETTER = 65_536
/** The first of what may still belong to a name: `2`, `_prod`, `Value`. */
export const NAME_ENDING = 131_072
/** The last of an escape that a word can follow: `\\n`, `%3D`, a terminal's colour. */
export const ESCAPE_END = 524_288
export const BLANK = 262_144
/** Of the words of a text in quotes or between tags. */
export const SPELT = 1_024
/** Of a type between a name and the `=` behind it. */
export const TYPE = 2_048
/** Before the quote of a value, or the first of several signs of one: `b"`, `$"`, `["`, `\\"`. */
export const QUOTE_PREFIX = 4_096
export const QUOTE = 16_384
/** The first of a word that can tie a value to a name: `is`, `was`, `of`, a type. */
export const LINK_WORD = 32_768
/** Of a scheme in front of a credential: `Bearer`, `api-key`. */
export const SCHEME = 8_192

/** The first behind a name that has its value in another field: a quote or a line's end. */
export const PAIR_SIGN = 1_048_576
/** What matters behind a name that has its value in another field: the first of `value`, a line's end, where the fields end. */
export const AHEAD_SIGN = 2_097_152
/** The last of `name`, `key`, `id`, `variable` and `setting`. */
export const FIELD_END = 33_554_432
/** Before a name that is set by a flag, or stands in a connection string. */
export const SETTING_SIGN = 67_108_864
/** Of the value of a field in a connection string. */
export const FIELD_VALUE = 134_217_728
/** Of an element's text that needs no escapes. */
export const CDATA = 268_435_456
/** Behind the closing quote of a name, the first of what ties a value to it. */
export const TIE_SIGN = 4_194_304
/** Of a value that a note is about: no bracket, no quote, no sign of code. */
export const NOTED = 8_388_608
/** The first of what may stand in a line's margin: the letter of an escaped line end, the sign of a changed line, a number. */
export const MARGIN = 16_777_216

export const LETTER = LOWER | UPPER
export const ALPHANUMERIC = LETTER | DIGIT
/** Known by what ends them, so that they hold everything beyond ASCII that is no blank. */
const OPEN = BARE | ENV | DELIMITED | USER_INFO | SPELT | NOTED | FIELD_VALUE | CDATA

/** A blank beyond ASCII: what only certain signs end goes on over it. */
const WIDE_BLANK = BLANK | CDATA

const ASCII = 128

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const LETTERS_AND_DIGITS = `${SMALL}${SMALL.toUpperCase()}0123456789`
const BLANKS = '\t\n\v\f\r '
const QUOTES = '"\'`\\'

const table = new Int32Array(ASCII).fill(OPEN)

function codesOf(chars: string): number[] {
  return Array.from(chars, (char) => char.charCodeAt(0))
}

function add(kind: number, chars: string): void {
  for (const code of codesOf(chars)) table[code] = (table[code] ?? 0) | kind
}

function drop(kind: number, chars: string): void {
  for (const code of codesOf(chars)) table[code] = (table[code] ?? 0) & ~kind
}

add(LOWER, SMALL)
add(UPPER, SMALL.toUpperCase())
add(DIGIT, '0123456789')
add(CONSONANT, 'bcdfghjklmnpqrstvwxz')
add(NAME, `${LETTERS_AND_DIGITS}_-.`)
add(TOKEN_PART, `${LETTERS_AND_DIGITS}_-`)
add(NAME_ENDING, '0123456789_-bdlnoprstvBDLNOPRSTV')
add(BLANK, BLANKS)
add(ESCAPE_END, '0123456789abcdefABCDEFnrtm')
add(KEY_LETTER, `${LETTERS_AND_DIGITS}+/=`)
add(TYPE, `${LETTERS_AND_DIGITS}_.<>|[]*&' \t`)
add(QUOTE_PREFIX, 'brufBRUF@$[({\\')
add(QUOTE, '"\'`')
add(LINK_WORD, 'iwosStcfale&[')
add(PAIR_SIGN, '"\'\\\n\r')
add(AHEAD_SIGN, 'vV\n<>{}')
add(MARGIN, 'nrt+-0123456789')
add(FIELD_END, 'eydgEYDG')
add(SETTING_SIGN, ' \t=;"\'\\')
add(TIE_SIGN, ']*[|?.+:=-,){')
add(SCHEME, `${SMALL}${SMALL.toUpperCase()}-`)
drop(BARE, `${BLANKS}${QUOTES}\u001b,;&|<>(){}[]`)
drop(ENV, `${BLANKS}${QUOTES}\u001b;&|<>`)
drop(DELIMITED, `${BLANKS}${QUOTES},;|<>(){}[]`)
drop(NOTED, `${BLANKS}${QUOTES}()<>,;=`)
drop(FIELD_VALUE, `${BLANKS}"'\`;,=(){}`)
drop(CDATA, '<]')
drop(SPELT, `${BLANKS}{}`)
drop(USER_INFO, `${BLANKS}${QUOTES}/?#<>`)

/** The blanks beyond ASCII that `\s` knows. */
function isWideBlank(code: number): boolean {
  if (code < 0x2000) return code === 0xa0 || code === 0x1680
  if (code > 0x205f) return code === 0x3000 || code === 0xfeff
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f
}

/**
 * The character at a place, or NUL outside of the text, which may be part of the same. Asking a string itself for what is
 * outside of it would be answered as well; but V8 then takes the slow way at that place of the code for ever after.
 */
export function codeAt(text: string, index: number): number {
  return index >= 0 && index < text.length ? text.charCodeAt(index) : 0
}

/** All that a character may be part of. */
export function kindsOf(code: number): number {
  if (code < ASCII) return table[code] ?? 0
  return isWideBlank(code) ? WIDE_BLANK : OPEN
}

export function isOf(kind: number, code: number): boolean {
  return (kindsOf(code) & kind) !== 0
}

/** A letter as a small one. */
export function small(code: number): number {
  return code | 32
}

/** Where the characters of a kind end that begin at a place; at the place itself when there are none. */
export function endOfRun(kind: number, text: string, from: number, atMost: number): number {
  const limit = Math.min(text.length, from + atMost)
  let end = from
  while (end < limit && isOf(kind, text.charCodeAt(end))) end += 1
  return end
}

const BACKSLASH = 92
/** As often as a quote is escaped. */
const MOST_ESCAPES = 15

/** Behind the quote at a place, the signs of which may be escaped; -1 when there is none. */
export function afterQuote(text: string, from: number): number {
  let index = from
  while (index < from + MOST_ESCAPES && codeAt(text, index) === BACKSLASH) index += 1
  return isOf(QUOTE, codeAt(text, index)) ? index + 1 : -1
}
