import { isInClass, getCharClasses, LETTER, NAME_ENDING, TOKEN_PART } from '../text/chars.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { classifyName } from './secret-name.ts'
import { isSecretBehindName } from './secret-value.ts'

function findLastKeyword(name: string): SecretKeyword | undefined {
  let last: SecretKeyword | undefined
  for (let found = findNextKeyword(name, 0); found !== undefined; found = findNextKeyword(name, found.end)) last = found
  return last
}

/** Whether a field's name makes its text a `password` or a `secret`; undefined when neither. */
export function classifyField(
  name: string,
  value: string,
  { isLiteral }: { readonly isLiteral: boolean } = { isLiteral: true },
): string | undefined {
  const last = findLastKeyword(name)
  if (last === undefined || nameEndAfter(name, last.end) !== name.length) return undefined
  const { word, start } = last
  const strength = classifyName({ word, before: name.slice(0, start), wordBefore: '' })
  if (strength === undefined || !isSecretBehindName({ value, strength, isLiteral })) return undefined
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}

const DASH = 45
const UNDERSCORE = 95

/** Short keywords occur inside other words: `path` and `author` do not count. */
function isPartOfWord(text: string, found: RegExpExecArray): boolean {
  const isAuth = found[1] !== undefined
  if (!isAuth && found[2] === undefined) return false
  const before = found.index === 0 ? 0 : text.charCodeAt(found.index - 1)
  return isAuth ? before !== DASH && before !== UNDERSCORE : isInClass(LETTER, before)
}

export interface SecretKeyword {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** The next secret keyword; its context decides how strong it is. */
export function findNextKeyword(text: string, from: number): SecretKeyword | undefined {
  const { secretKeyword } = pattern
  secretKeyword.lastIndex = from
  for (let found = secretKeyword.exec(text); found !== null; found = secretKeyword.exec(text)) {
    const start = found.index
    if (!isPartOfWord(text, found)) return { word: found[0], start, end: secretKeyword.lastIndex }
    // Another keyword may start inside it: `patoken`.
    secretKeyword.lastIndex = start + 1
  }
  return undefined
}

/** The end of the name whose keyword ends at an index, as in `token2` or `password_prod`; -1 inside another word. */
export function nameEndAfter(text: string, index: number): number {
  if (index === text.length) return index
  const kinds = getCharClasses(text.charCodeAt(index))
  // Most names end with the keyword, and most longer words are others: only a possible suffix is matched.
  if ((kinds & TOKEN_PART) === 0) return index
  return (kinds & NAME_ENDING) === 0 ? -1 : endAt(pattern.nameEnding, text, index)
}
