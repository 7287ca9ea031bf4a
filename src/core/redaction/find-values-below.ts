import { codeAt, isOf, NAME } from './chars.ts'
import { endAt, pattern } from './patterns.ts'
import { secretKindOfField } from './secret-field.ts'
import type { Span } from './span.ts'

const COLON = 58
const EQUALS = 61
const DASH = 45
const BACKSLASH = 92
const NAME_CHARS = 64
const VALUE_CHARS = 512

/** Signs behind a name or a value: quotes, emphasis, a shell's backslash. */
const TRAILING = ' \t\r\\"\'`*'

const PROMISING: ReadonlySet<number> = new Set(Array.from(':=\\"\'`*', (sign) => sign.charCodeAt(0)))
const BLANKS: ReadonlySet<number> = new Set(Array.from(' \t\r', (sign) => sign.charCodeAt(0)))

/** Whether a line may promise a value below it, by its last sign: most lines do not. */
function mayPromise(text: string, newline: number): boolean {
  let last = newline - 1
  while (BLANKS.has(codeAt(text, last))) last -= 1
  return PROMISING.has(codeAt(text, last))
}

/** The name that a line ends with, where it promises a value: `Password:`, `export TOKEN=`, `--password \`. */
function nameBefore(text: string, newline: number): string | undefined {
  let end = newline
  while (end > 0 && TRAILING.includes(text[end - 1] ?? '')) end -= 1
  const isAssigned = codeAt(text, end - 1) === COLON || codeAt(text, end - 1) === EQUALS
  if (isAssigned) end -= 1
  while (end > 0 && TRAILING.includes(text[end - 1] ?? '')) end -= 1
  let start = end
  while (start > 0 && end - start < NAME_CHARS && isOf(NAME, text.charCodeAt(start - 1))) start -= 1
  const isFlag = codeAt(text, start) === DASH && text.slice(end, newline).includes('\\')
  if (start === end || !(isAssigned || isFlag)) return undefined
  while (codeAt(text, start) === DASH) start += 1
  return text.slice(start, end)
}

/** The one word of a line. */
function wordBelow(text: string, newline: number): { readonly start: number; readonly end: number } | undefined {
  const start = Math.max(newline + 1, endAt(pattern.lineMargin, text, newline + 1))
  let end = start
  while (end < text.length && end - start < VALUE_CHARS && !pattern.blank.test(text[end] ?? ' ')) end += 1
  let stop = end
  while (stop < text.length && TRAILING.includes(text[stop] ?? '')) stop += 1
  if (end === start || (stop < text.length && text[stop] !== '\n')) return undefined
  while (end > start && `${TRAILING},;`.includes(text[end - 1] ?? '')) end -= 1
  const last = codeAt(text, end - 1)
  return end === start || last === COLON || last === BACKSLASH ? undefined : { start, end }
}

/** `Password:` in one line, and what it is alone in the next. */
export function findValuesBelow(text: string): Span[] {
  const spans: Span[] = []
  for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', newline + 1)) {
    const name = mayPromise(text, newline) ? nameBefore(text, newline) : undefined
    const word = name === undefined ? undefined : wordBelow(text, newline)
    if (name === undefined || word === undefined) continue
    const kind = secretKindOfField(name, text.slice(word.start, word.end), { isLiteral: false })
    if (kind !== undefined) spans.push({ ...word, kind })
  }
  return spans
}
