/** Longer runs are data, not words. */
const MAX_TERM_LENGTH = 64
const MAX_TERMS = 4_000
const MAX_QUERY_TERMS = 64

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
/** Most text is plain, and plain text is read at a third of the price. */
const IS_PLAIN = /^[\0-\x7f]*$/
const PLAIN_WORD = /[A-Za-z0-9_]+/g
const IS_ONE_PART = /^[A-Za-z]?[a-z]*$/
const MARKS = /\p{M}+/gu
/** `getHTTPUser2` -> get, HTTP, User, 2 */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_]+/gu
/** Scripts written without spaces between words: pairs of characters stand for words. */
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

/** Plural and tense, nothing clever: "tests", "testing" and "tested" meet at "test". */
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

/** "cache", "caches" and "caching" must meet, and the last has lost its e. */
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

function wordsOf(text: string): Iterable<string> {
  return IS_PLAIN.test(text) ? plainWordsOf(text) : anyWordsOf(text)
}

function* plainWordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(PLAIN_WORD)) {
    if (IS_ONE_PART.test(word) && word.length <= MAX_TERM_LENGTH) yield word.toLowerCase()
    else yield* formsOf(word)
  }
}

function withoutMarks(text: string): string {
  return IS_PLAIN.test(text) ? text : text.normalize('NFKD').replace(MARKS, '').normalize('NFC')
}

function* anyWordsOf(text: string): Generator<string> {
  for (const [word] of withoutMarks(text).matchAll(WORD)) {
    if (UNSPACED.test(word)) {
      yield* pairs(word.replaceAll('_', '').slice(0, MAX_TERM_LENGTH * 8))
      continue
    }
    yield* formsOf(word)
  }
}

/** An identifier as a whole, then the words that it is made of. */
function* formsOf(word: string): Generator<string> {
  const joined = word.replaceAll('_', '')
  if (joined === '' || joined.length > MAX_TERM_LENGTH * 2) return
  yield normal(joined)
  const parts = word.match(PART) ?? []
  if (parts.length > 1) for (const part of parts) if (part.length > 1) yield normal(part)
}

/** What a text can be found by: its words, and the words inside its identifiers. Duplicates stay; they carry weight. */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = []
  for (const word of wordsOf(text)) {
    terms.push(stem(word))
    if (terms.length >= MAX_TERMS) break
  }
  return terms
}

/** What a question asks for: distinct terms, without the words that every sentence has unless there are no others. */
export function queryTermsOf(text: string): readonly string[] {
  const telling = new Set<string>()
  const others = new Set<string>()
  for (const word of wordsOf(text)) {
    if (STOP_WORDS.has(word)) others.add(stem(word))
    else telling.add(stem(word))
    // A prompt may be a pasted log: what comes after the last term that counts is not read.
    if (telling.size === MAX_QUERY_TERMS) break
  }
  return [...(telling.size > 0 ? telling : others)].slice(0, MAX_QUERY_TERMS)
}

/** What a text and the names in it are made of, whatever is written together: distinct, without the words that every sentence has. */
export function partsOf(text: string): ReadonlySet<string> {
  const parts = new Set<string>()
  for (const [word] of withoutMarks(text).matchAll(WORD)) {
    for (const part of word.match(PART) ?? []) {
      const plain = normal(part)
      if (plain.length > 1 && !STOP_WORDS.has(plain)) parts.add(stem(plain))
    }
  }
  return parts
}
