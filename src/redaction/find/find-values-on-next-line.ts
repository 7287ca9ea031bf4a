import { nameEndAfter, findNextKeyword } from '../rules/secret-keywords.ts'
import { codeAt, isInClass, NAME } from '../text/chars.ts'
import { nameStart } from '../rules/secret-name.ts'
import { endAt, pattern } from '../text/patterns.ts'
import { classifyField } from '../rules/secret-keywords.ts'
import type { Span } from '../text/span.ts'

const COLON = 58
const EQUALS = 61
const DASH = 45
const BACKSLASH = 92
const NAME_CHARS = 64
const VALUE_CHARS = 512

/** Characters after a name or a value: quotes, emphasis, a shell's backslash. */
const TRAILING = ' \t\r\\"\'`*'

/** The same with a colon: `the password is:`. */
const SIGNS_BEHIND: ReadonlySet<number> = new Set(Array.from(`${TRAILING}:`, (sign) => sign.charCodeAt(0)))

const PROMISING: ReadonlySet<number> = new Set(Array.from(':=\\"\'`*', (sign) => sign.charCodeAt(0)))
const TRAILING_SPACES: ReadonlySet<number> = new Set(Array.from(' \t\r', (sign) => sign.charCodeAt(0)))

/** Whether a value may follow on the next line, by the last character: a cheap first check. */
function mayPromise(text: string, newline: number): boolean {
  let last = newline - 1
  while (TRAILING_SPACES.has(codeAt(text, last))) last -= 1
  return PROMISING.has(codeAt(text, last))
}

/** The name at the end of a line whose value follows below: `Password:`, `export TOKEN=`, `--password \`. */
function nameBefore(text: string, newline: number): string | undefined {
  let end = newline
  while (end > 0 && TRAILING.includes(text[end - 1] ?? '')) end -= 1
  const isAssigned = codeAt(text, end - 1) === COLON || codeAt(text, end - 1) === EQUALS
  if (isAssigned) end -= 1
  while (end > 0 && TRAILING.includes(text[end - 1] ?? '')) end -= 1
  let start = end
  while (start > 0 && end - start < NAME_CHARS && isInClass(NAME, text.charCodeAt(start - 1))) start -= 1
  const isFlag = codeAt(text, start) === DASH && text.slice(end, newline).includes('\\')
  if (start === end || !(isAssigned || isFlag)) return undefined
  while (codeAt(text, start) === DASH) start += 1
  return text.slice(start, end)
}

/** The verbs of `statement` and their last letters: few lines end with one, and only those are read. */
const VERBS: ReadonlySet<string> = new Set(['is', 'was', 'ist', 'lautet', 'est', 'es', 'e', 'è', 'é'])
const VERB_ENDS: ReadonlySet<number> = new Set(Array.from(VERBS, (verb) => verb.charCodeAt(verb.length - 1)))
const VERB_CHARS = 6
/** Room for a name, its purpose and the verb. */
const STATEMENT_CHARS = 120

/** The end of the verb that is the last word of a line; -1 when there is none. */
function verbEnd(text: string, line: number, newline: number): number {
  let end = newline
  while (end > line && SIGNS_BEHIND.has(codeAt(text, end - 1))) end -= 1
  if (!VERB_ENDS.has(codeAt(text, end - 1))) return -1
  let start = end - 1
  while (start > line && end - start <= VERB_CHARS && !TRAILING_SPACES.has(codeAt(text, start - 1))) start -= 1
  return start > line && VERBS.has(text.slice(start, end)) ? end : -1
}

/** The name in a line that ends where its value would follow: `the DB password is`, `password for the staging box is:`. */
function nameStated(text: string, line: number, end: number): string | undefined {
  const said = `${text.slice(Math.max(line, end - STATEMENT_CHARS), end)} `
  for (let found = findNextKeyword(said, 0); found !== undefined; found = findNextKeyword(said, found.end)) {
    const nameEnd = nameEndAfter(said, found.end)
    if (nameEnd < 0) continue
    const isStated = [pattern.statement, pattern.farStatement].some(
      (verb) => endAt(verb, said, nameEnd) === said.length,
    )
    if (isStated) return said.slice(nameStart(said, found.start), nameEnd)
  }
  return undefined
}

/** The only word of the next line. */
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

/** `Password:` or `The password is` on one line, and the value alone on the next. */
export function findValuesOnNextLine(text: string): Span[] {
  const spans: Span[] = []
  let line = 0
  for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', line)) {
    const start = line
    line = newline + 1
    if (start === newline) continue
    const promised = mayPromise(text, newline) ? nameBefore(text, newline) : undefined
    const verb = verbEnd(text, start, newline)
    // The line below first: parsing a statement takes longer than checking for a single word below it.
    const word = promised === undefined && verb < 0 ? undefined : wordBelow(text, newline)
    if (word === undefined) continue
    const value = text.slice(word.start, word.end)
    const kindBy = (name: string | undefined) =>
      name === undefined ? undefined : classifyField(name, value, { isLiteral: false })
    const kind = kindBy(promised) ?? (verb < 0 ? undefined : kindBy(nameStated(text, start, verb)))
    if (kind !== undefined) spans.push({ ...word, kind })
  }
  return spans
}
