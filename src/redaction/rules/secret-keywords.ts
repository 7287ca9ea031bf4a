import { isOf, kindsOf, LETTER, NAME_ENDING, TOKEN_PART } from '../text/chars.ts'
import { endAt, pattern } from '../text/patterns.ts'

const DASH = 45
const UNDERSCORE = 95

/** Short words are met inside others: `path` and `author` announce nothing. */
function isPartOfWord(text: string, found: RegExpExecArray): boolean {
  const isAuth = found[1] !== undefined
  if (!isAuth && found[2] === undefined) return false
  const before = found.index === 0 ? 0 : text.charCodeAt(found.index - 1)
  return isAuth ? before !== DASH && before !== UNDERSCORE : isOf(LETTER, before)
}

export interface Announcement {
  /** As it is written. */
  readonly word: string
  readonly start: number
  readonly end: number
}

/** The next word that announces a secret; what stands around it decides how much it says. */
export function nextAnnouncement(text: string, from: number): Announcement | undefined {
  const { announcement } = pattern
  announcement.lastIndex = from
  for (let found = announcement.exec(text); found !== null; found = announcement.exec(text)) {
    const start = found.index
    if (!isPartOfWord(text, found)) return { word: found[0], start, end: announcement.lastIndex }
    // Its end may begin another: `patoken`.
    announcement.lastIndex = start + 1
  }
  return undefined
}

/** Where the name ends whose announcing word ends at a place, as in `token2` or `password_prod`; -1 inside another word. */
export function nameEndAfter(text: string, index: number): number {
  if (index === text.length) return index
  const kinds = kindsOf(text.charCodeAt(index))
  // Most names end with the word, and most words that go on are others: only what could be an ending is read.
  if ((kinds & TOKEN_PART) === 0) return index
  return (kinds & NAME_ENDING) === 0 ? -1 : endAt(pattern.nameEnding, text, index)
}
