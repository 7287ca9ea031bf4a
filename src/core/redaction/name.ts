import { pattern } from './patterns.ts'
import type { NameStrength } from './value.ts'

const NAME_CHARS = 48

/** The part of an identifier in front of an announcement. */
export interface NameStart {
  readonly start: number
  readonly text: string
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  )
}

export function nameBefore(text: string, index: number): NameStart {
  const limit = Math.max(0, index - NAME_CHARS)
  let start = index
  while (start > limit && isNameCode(text.charCodeAt(start - 1))) start -= 1
  return { start, text: text.slice(start, index) }
}

function isLetter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')
}

/** `key` in `monkey` and `pass` in `compass` announce nothing; in `apiKey`, `db_pass` and `X-Key` they do. */
function opensWord(before: string, announcement: string): boolean {
  const last = before.at(-1) ?? ''
  if (!isLetter(last)) return true
  const first = announcement[0] ?? ''
  return first >= 'A' && first <= 'Z' && last >= 'a' && last <= 'z'
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** A key by any of these names opens something. */
const openingWords = wordSet(
  'api access secret private priv sign signing encrypt encryption crypto cipher master account auth service admin license licence client app server shared webhook jwt hmac aes deploy subscription consumer user root recovery management ingest write project',
)

/** A key by any of these only finds something. */
const findingWords = wordSet(
  'public pub primary foreign cache sort partition range hash session map row lookup group object storage translation locale message idempotency query react entity property field column unique composite index routing dedupe route artifact state item list turbo bucket file path image event config setting settings preference issue host known arrow hot short shortcut tab escape enter shift ctrl control meta alt any each every same this that the a by of no dict json yaml registry product data content block node tree ref git branch commit checkpoint search parent child sub group tag label',
)

/** The last word of a name, in small letters: `cache` of `myCache_`, `db` of `DB_`. */
function lastWordOf(name: string): string {
  const end = isLetter(name.at(-1) ?? 'a') ? name.length : name.length - 1
  let start = end
  while (start > 0 && isLetter(name[start - 1] ?? '')) {
    start -= 1
    const isCapital = (name[start] ?? '') <= 'Z'
    const followsSmall = (name[start - 1] ?? '') >= 'a'
    if (isCapital && followsSmall) break
  }
  return name.slice(start, end).toLowerCase()
}

/** `apikey` and `secretkey` in one word, as services like to write them. */
function joinsOpeningWord(before: string): boolean {
  const lower = before.toLowerCase()
  return ['api', 'access', 'secret', 'private', 'auth', 'licence', 'license'].some((word) => lower.endsWith(word))
}

/** Before a name of one word: the word in front of it, or the sign that makes it a query's. */
const QUERY_SIGNS = '?&'

function keyStrength(before: string, wordBefore: string): NameStrength | undefined {
  if (before === '' && QUERY_SIGNS.includes(wordBefore || ' ')) return 'key'
  const word = lastWordOf(before === '' ? wordBefore : before)
  if (openingWords.has(word)) return 'secret'
  if (findingWords.has(word)) return undefined
  return before === '' ? 'bare-key' : 'key'
}

/** What a name says about its value; undefined when nothing. `wordBefore` is the word in front of a name of one word. */
export function strengthOf(announcement: string, before: string, wordBefore: string): NameStrength | undefined {
  const word = announcement.toLowerCase()
  if (before !== '' && pattern.disclaimed.test(before)) return undefined
  if (word === 'key') {
    if (opensWord(before, announcement)) return keyStrength(before, wordBefore)
    return joinsOpeningWord(before) ? 'secret' : undefined
  }
  if (word === 'pass') return opensWord(before, announcement) ? 'pass' : undefined
  if (word === 'pwd') return opensWord(before, announcement) ? 'password' : undefined
  if (word.startsWith('pass')) return 'password'
  if (word === 'secret') return 'named-secret'
  return 'secret'
}
