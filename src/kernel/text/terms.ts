/** The distinct terms of a text without stop words. */
export type TermSet = ReadonlySet<string>

export function toTermSet(text: string): TermSet {
  return new Set(extractQueryTerms(text))
}

const SAME_MATTER = 0.6

/** Share of the shorter text's terms that both have. */
function likeness(one: TermSet, other: TermSet): number {
  const shared = [...one].filter((term) => other.has(term)).length
  return shared / Math.max(1, Math.min(one.size, other.size))
}

/** Whether both are about the same thing. */
export function isSimilarText(one: TermSet, other: TermSet): boolean {
  return likeness(one, other) >= SAME_MATTER
}

/** Whether both consist of the same words, in any order. */
export function isSameText(one: TermSet, other: TermSet): boolean {
  return one.size === other.size && likeness(one, other) === 1
}

/** Longer runs are data, not words. */
const MAX_TERM_LENGTH = 64
const MAX_TERMS = 4_000
const MAX_QUERY_TERMS = 64

export const WORD = /[\p{L}\p{M}\p{N}_]+/gu
/** Most text is ASCII, which takes a third of the time. */
const IS_PLAIN = /^[\0-\x7f]*$/
const PLAIN_WORD = /[A-Za-z0-9_]+/g
const IS_ONE_PART = /^[A-Za-z]?[a-z]*$/
const MARKS = /\p{M}+/gu
/** `getHTTPUser2` -> get, HTTP, User, 2 */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_]+/gu
/** Scripts without spaces between words are indexed by pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

const STOP_WORDS = new Set(
  (
    'a about after again all also am an and another any are as at be been but by can could did do does for from get got had has have ' +
    'he her him his how i if in into is it its just let like me my no not now of on one only or other our out please same she should so ' +
    'some than that the their them then there these they this to up us use was we were what when where which while ' +
    'who why will with would you your'
  ).split(' '),
)

const STEMMED_ENDS: ReadonlySet<string> = new Set(['s', 'g', 'd', 'e'])

/** Strips plural and tense: "tests", "testing" and "tested" become "test". */
function stem(word: string): string {
  if (!STEMMED_ENDS.has(word.at(-1) ?? '')) return word
  if (word.length < 5) return withoutE(word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word)
  const undoubled = (base: string) => (/([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base)
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word)) return withoutE(word.slice(0, -1))
  if (word.endsWith('ing') && /[aeiouy].*ing$/.test(word)) return withoutE(undoubled(word.slice(0, -3)))
  if (word.endsWith('ed') && /[aeiouy].*ed$/.test(word)) return withoutE(undoubled(word.slice(0, -2)))
  return withoutE(word)
}

/** "cache", "caches" and "caching" must have one stem. */
function withoutE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word
}

function normal(word: string): string {
  return word.toLowerCase().slice(0, MAX_TERM_LENGTH)
}

function pairs(run: string): string[] {
  const letters = Array.from(run)
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}

function eachWord(text: string): Iterable<string> {
  return IS_PLAIN.test(text) ? eachAsciiWord(text) : eachUnicodeWord(text)
}

function* eachAsciiWord(text: string): Generator<string> {
  for (const [word] of text.matchAll(PLAIN_WORD)) {
    if (IS_ONE_PART.test(word) && word.length <= MAX_TERM_LENGTH) yield word.toLowerCase()
    else yield* eachWordForm(word)
  }
}

function withoutMarks(text: string): string {
  if (IS_PLAIN.test(text)) return text
  // In capitals, and in Switzerland, an eszett is written as two letters.
  return text.normalize('NFKD').replace(MARKS, '').normalize('NFC').replaceAll('ß', 'ss').replaceAll('ẞ', 'SS')
}

function* eachUnicodeWord(text: string): Generator<string> {
  for (const [word] of withoutMarks(text).matchAll(WORD)) {
    if (UNSPACED.test(word)) {
      yield* pairs(word.replaceAll('_', '').slice(0, MAX_TERM_LENGTH * 8))
      continue
    }
    yield* eachWordForm(word)
  }
}

/** An identifier as a whole, then the words that it is made of. */
function* eachWordForm(word: string): Generator<string> {
  const joined = word.replaceAll('_', '')
  if (joined === '' || joined.length > MAX_TERM_LENGTH * 2) return
  yield normal(joined)
  const parts = word.match(PART) ?? []
  if (parts.length > 1) for (const part of parts) if (part.length > 1) yield normal(part)
}

/** Search terms of a text: its words, and the words inside its identifiers. Duplicates stay, because they carry weight. */
export function extractTerms(text: string): readonly string[] {
  const terms: string[] = []
  for (const word of eachWord(text)) {
    terms.push(stem(word))
    if (terms.length >= MAX_TERMS) break
  }
  return terms
}

/** Search terms of a query: distinct, without stop words unless there are only stop words. */
export function extractQueryTerms(text: string): readonly string[] {
  const telling = new Set<string>()
  const others = new Set<string>()
  for (const word of eachWord(text)) {
    if (STOP_WORDS.has(word)) others.add(stem(word))
    else telling.add(stem(word))
    // A prompt may be a pasted log: stop at the last term that counts.
    if (telling.size === MAX_QUERY_TERMS) break
  }
  return [...(telling.size > 0 ? telling : others)].slice(0, MAX_QUERY_TERMS)
}
