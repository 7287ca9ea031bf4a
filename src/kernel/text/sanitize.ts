import { withoutAnsi } from './text.ts'

/** Characters that are not seen but change what is read: controls, bidi and zero-width marks, tag characters. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these very characters are what is removed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]/gu

/**
 * One line that can neither close the fence, nor pass for markup of the harness, nor hide what it says.
 * Angle brackets that could open a tag or a comment become ‹ and ›; runs that could be a fence are broken up.
 */
export function sanitize(text: string): string {
  return withoutAnsi(text.toWellFormed())
    .replace(/[\s\u2028\u2029\u0085]+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(/<(?=[A-Za-z/!?<[|])|(?<=<)</g, '‹')
    .replace(/(?<=[-/\w"'?\]|>])>(?=>)|(?<=>)>|-->/g, (found) => (found === '-->' ? '--›' : '›'))
    .replace(/\[(?=\/?holdfast\b)/gi, '(')
    .replace(/`{3,}/g, "'''")
    .replace(/~{3,}/g, '~')
    .replace(/ {2,}/g, ' ')
    .trim()
}
