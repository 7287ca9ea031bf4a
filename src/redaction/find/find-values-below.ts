import { nameEndAfter, nextAnnouncement } from '../rules/secret-keywords.ts'
import { codeAt, isOf, NAME } from '../text/chars.ts'
import { nameStart } from '../rules/secret-name.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { secretKindOfField } from '../rules/secret-field.ts'
import type { Span } from '../text/span.ts'

const COLON = 58
const EQUALS = 61
const DASH = 45
const BACKSLASH = 92
const NAME_CHARS = 64
const VALUE_CHARS = 512

/** Signs behind a name or a value: quotes, emphasis, a shell's backslash. */
const TRAILING = ' \t\r\\"\'`*'

/** The same and a colon: `the password is:`. */
const SIGNS_BEHIND: ReadonlySet<number> = new Set(Array.from(`${TRAILING}:`, (sign) => sign.charCodeAt(0)))

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

/** Those of `statement`, and the last letters of them: hardly any line ends so, and only those that do are read. */
const VERBS: ReadonlySet<string> = new Set(['is', 'was', 'ist', 'lautet', 'est', 'es', 'e', 'è', 'é'])
const VERB_ENDS: ReadonlySet<number> = new Set(Array.from(VERBS, (verb) => verb.charCodeAt(verb.length - 1)))
const VERB_CHARS = 6
/** A name, what it is for, and the verb. */
const STATEMENT_CHARS = 120

/** Where the verb ends that is the last word of a line; -1 when that is no verb. */
function verbEnd(text: string, line: number, newline: number): number {
  let end = newline
  while (end > line && SIGNS_BEHIND.has(codeAt(text, end - 1))) end -= 1
  if (!VERB_ENDS.has(codeAt(text, end - 1))) return -1
  let start = end - 1
  while (start > line && end - start <= VERB_CHARS && !BLANKS.has(codeAt(text, start - 1))) start -= 1
  return start > line && VERBS.has(text.slice(start, end)) ? end : -1
}

/** The name in a line that ends where its value would stand: `the DB password is`, `password for the staging box is:`. */
function nameStated(text: string, line: number, end: number): string | undefined {
  const said = `${text.slice(Math.max(line, end - STATEMENT_CHARS), end)} `
  for (let found = nextAnnouncement(said, 0); found !== undefined; found = nextAnnouncement(said, found.end)) {
    const nameEnd = nameEndAfter(said, found.end)
    if (nameEnd < 0) continue
    const isStated = [pattern.statement, pattern.farStatement].some(
      (verb) => endAt(verb, said, nameEnd) === said.length,
    )
    if (isStated) return said.slice(nameStart(said, found.start), nameEnd)
  }
  return undefined
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

/** `Password:` or `The password is` in one line, and what it is alone in the next. */
export function findValuesBelow(text: string): Span[] {
  const spans: Span[] = []
  let line = 0
  for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', line)) {
    const start = line
    line = newline + 1
    if (start === newline) continue
    const promised = mayPromise(text, newline) ? nameBefore(text, newline) : undefined
    const verb = verbEnd(text, start, newline)
    // The line below first: what a line states takes longer to read than whether one word stands below it.
    const word = promised === undefined && verb < 0 ? undefined : wordBelow(text, newline)
    if (word === undefined) continue
    const value = text.slice(word.start, word.end)
    const kindBy = (name: string | undefined) =>
      name === undefined ? undefined : secretKindOfField(name, value, { isLiteral: false })
    const kind = kindBy(promised) ?? (verb < 0 ? undefined : kindBy(nameStated(text, start, verb)))
    if (kind !== undefined) spans.push({ ...word, kind })
  }
  return spans
}
