import { BLANK, codeAt, isOf, QUOTE } from '../text/chars.ts'

interface Range {
  readonly start: number
  readonly end: number
}

/** A word of a command line: what stands without quotes, and what is in quotes behind it or alone. */
export interface CommandWord {
  readonly plain: Range
  readonly quoted: Range | undefined
  /** Behind the word. */
  readonly end: number
}

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const BACKSLASH = 92
/** No value of a flag is longer. */
const QUOTED_CHARS = 512

/** `;`, `&` and `|`: another command follows. */
function endsCommand(code: number): boolean {
  return code === NEWLINE || code === 59 || code === 38 || code === 124
}

function afterBackslashes(text: string, from: number): number {
  let index = from
  while (codeAt(text, index) === BACKSLASH) index += 1
  return index
}

/** Behind the blanks at a place, and behind a backslash that has the command go on in the next line. */
function wordStart(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = codeAt(text, index)
    if (code === SPACE || code === TAB || code === RETURN) continue
    if (code !== BACKSLASH) return index
    const next = afterBackslashes(text, index)
    const line = codeAt(text, next) === RETURN ? next + 1 : next
    if (codeAt(text, line) !== NEWLINE) return index
    index = line
  }
  return index
}

/** What is in quotes at a place, the signs of which may be escaped; undefined when it is not closed in the same line. */
function quotedAt(text: string, from: number): Range | undefined {
  const sign = afterBackslashes(text, from)
  const quote = codeAt(text, sign)
  if (!isOf(QUOTE, quote)) return undefined
  const opening = sign === from ? '' : text.slice(from, sign + 1)
  const start = sign + 1
  const limit = Math.min(text.length, start + QUOTED_CHARS)
  for (let index = start; index < limit; index += 1) {
    const code = text.charCodeAt(index)
    if (code === NEWLINE) return undefined
    if (code === quote && opening === '') return { start, end: index }
    if (code !== BACKSLASH) continue
    if (opening !== '' && text.startsWith(opening, index)) return { start, end: index }
    index += 1
  }
  return undefined
}

function plainEnd(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = codeAt(text, index)
    if (isOf(BLANK | QUOTE, code) || endsCommand(code) || code === BACKSLASH) return index
  }
  return index
}

/** The next word of the command that goes on at a place; undefined at its end. */
export function nextCommandWord(text: string, from: number): CommandWord | undefined {
  const start = wordStart(text, from)
  if (start >= text.length || endsCommand(codeAt(text, start))) return undefined
  const end = plainEnd(text, start)
  const quoted = quotedAt(text, end)
  if (quoted) return { plain: { start, end }, quoted, end: quoted.end + (quoted.start - end) }
  // A sign that opens nothing is passed over, so that the next word is another.
  return {
    plain: { start, end },
    quoted,
    end: end === start ? Math.max(start + 1, afterBackslashes(text, start)) : end,
  }
}
