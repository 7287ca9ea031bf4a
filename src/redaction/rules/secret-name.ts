import { isInClass, NAME } from '../text/chars.ts'
import { pattern } from '../text/patterns.ts'
import type { NameStrength } from './secret-value.ts'

const NAME_CHARS = 48

/** The start of the identifier that continues at an index. */
export function nameStart(text: string, index: number): number {
  const limit = Math.max(0, index - NAME_CHARS)
  let start = index
  while (start > limit && isInClass(NAME, text.charCodeAt(start - 1))) start -= 1
  return start
}

function isLetter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')
}

/** A secret keyword and what precedes it. */
export interface Name {
  readonly word: string
  /** The part of the identifier before the keyword: `--db-` in `--db-password`. */
  readonly before: string
  /** For a bare `key`, the word before it, or the `?` or `&` that makes it a query parameter. */
  readonly wordBefore: string
}

/** `key` in `monkey` and `pass` in `compass` do not count; in `apiKey`, `db_pass` and `X-Key` they do. */
function opensWord({ before, word }: Name): boolean {
  const last = before.at(-1) ?? ''
  return !isLetter(last) || (word < 'a' && last >= 'a')
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** A key with one of these words is a credential. */
const openingWords = wordSet(
  'api access secret private priv sign signing encrypt encryption crypto cipher master account auth service admin license licence client app server shared webhook jwt hmac aes deploy subscription consumer user root recovery management ingest write project',
)

/** A key with one of these words is an identifier. */
const findingWords = wordSet(
  'public pub primary foreign cache sort partition range hash session map row lookup group object storage translation locale message idempotency query react entity property field column unique composite index routing dedupe route artifact state item list turbo bucket file path image event config setting settings preference issue host known arrow hot short shortcut tab escape enter shift ctrl control meta alt any each every same this that the a by of no dict json yaml registry product data content block node tree ref git branch commit checkpoint search parent child sub group tag label',
)

/** The last word of a name, in lower case: `cache` of `myCache_`, `db` of `DB_`. */
function lastWord(name: string): string {
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

/** `apikey` and `secretkey` as one word. */
function joinsOpeningWord(before: string): boolean {
  const lower = before.toLowerCase()
  return ['api', 'access', 'secret', 'private', 'auth', 'licence', 'license'].some((word) => lower.endsWith(word))
}

const QUERY_SIGNS = '?&'

function keyStrength({ before, wordBefore }: Name): NameStrength | undefined {
  if (before === '' && QUERY_SIGNS.includes(wordBefore || ' ')) return 'key'
  const word = lastWord(before === '' ? wordBefore : before)
  if (openingWords.has(word)) return 'secret'
  if (findingWords.has(word)) return undefined
  return before === '' ? 'bare-key' : 'key'
}

/** A `pass` with one of these words is a password. */
const loginWords = wordSet('become ssh sudo db admin root smtp mail vault mysql mariadb postgres redis ftp wifi ldap')

function passStrength(before: string): NameStrength {
  return loginWords.has(lastWord(before)) ? 'password' : 'pass'
}

/** Password in German, Spanish, Portuguese and French. */
const foreignWords = new Set([
  'kennwort',
  'contraseña',
  'contrasena',
  'senha',
  'mot de passe',
  'motdepasse',
  'mot_de_passe',
])

/** Ambiguous names for a password: the value has to look like one. */
const shortWords = wordSet('pw psw pswd clave')

/** How strongly a name marks its value as secret; undefined when it does not. */
export function classifyName(name: Name): NameStrength | undefined {
  const { before } = name
  const word = name.word.toLowerCase()
  if (before !== '' && pattern.disclaimed.test(before)) return undefined
  if (word === 'key') {
    if (opensWord(name)) return keyStrength(name)
    return joinsOpeningWord(before) ? 'secret' : undefined
  }
  if (word === 'pass') return opensWord(name) ? passStrength(before) : undefined
  if (word === 'pwd') return opensWord(name) ? 'password' : undefined
  if (word.startsWith('pass') || foreignWords.has(word)) return 'password'
  if (shortWords.has(word)) return opensWord(name) ? 'named-secret' : undefined
  return word === 'secret' ? 'named-secret' : 'secret'
}
