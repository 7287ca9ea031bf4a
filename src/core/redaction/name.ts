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

function keyStrength(before: string, wordBefore: string): NameStrength | undefined {
  if (pattern.openingKey.test(before)) return 'secret'
  if (before === '') {
    if (pattern.openingKey.test(wordBefore)) return 'secret'
    return pattern.findingKey.test(wordBefore) ? undefined : 'bare-key'
  }
  if (pattern.findingKey.test(before)) return undefined
  return 'key'
}

/** What a name says about its value; undefined when nothing. `wordBefore` is the word in front of a name of one word. */
export function strengthOf(announcement: string, before: string, wordBefore: string): NameStrength | undefined {
  const word = announcement.toLowerCase()
  if (word === 'key') {
    const isJoined = pattern.openingKey.test(before)
    return isJoined || opensWord(before, announcement) ? keyStrength(before, wordBefore) : undefined
  }
  if (word === 'pass' || word === 'pwd') return opensWord(before, announcement) ? 'password' : undefined
  if (word.startsWith('pass')) return 'password'
  return 'secret'
}
