import pc from 'picocolors'
import type { CliIo } from './command.ts'
import type { Verdict } from '../../kernel/injection.ts'
import { formatAge as formatAgeTo, truncate } from '../../kernel/text/text.ts'

export type Colors = ReturnType<typeof pc.createColors>

export function getColors(io: Pick<CliIo, 'hasColor'>): Colors {
  return pc.createColors(io.hasColor)
}

/** With `--json`, stdout holds exactly one JSON document, also when the command fails. */
export function printJson(io: Pick<CliIo, 'out'>, value: unknown): void {
  io.out(`${jsonText(value)}\n`)
}

const COLOR_CODE = `${String.fromCharCode(27)}\\[[0-9;]*m`
const COLOR_CODES = new RegExp(COLOR_CODE, 'g')
/** Characters that a terminal interprets or does not show: control, bidi, zero-width and tag characters. */
const INVISIBLE = String.raw`[\p{Cc}\p{Bidi_Control}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]`
const INVISIBLE_EXCEPT_COLORS = new RegExp(`(?!${COLOR_CODE}|[\\t\\n])${INVISIBLE}`, 'gu')
const ALL_INVISIBLE = new RegExp(`(?![\\t\\n])${INVISIBLE}`, 'gu')
/** Tags with which harnesses mark their own messages. Agents run this program too and read its output. */
const SYSTEM_TAG =
  /<(?=\s*\/?\s*(?:system\b|system[-_]|human\b|assistant\b|function_|antml|invoke\b|tool_|user-prompt-submit|command-(?:name|message|args)\b|local-command|\||!\[?))/gi

/** Removes invisible characters except our colours, and defuses tags that look like a harness's own messages. */
export function sanitize(text: string): string {
  return text.replace(INVISIBLE_EXCEPT_COLORS, '�').replace(SYSTEM_TAG, '‹')
}

function escapeCharacters(text: string): string {
  return Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join(
    '',
  )
}

/** JSON with invisible characters and harness tags escaped; it parses to the exact value. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
    .replace(ALL_INVISIBLE, escapeCharacters)
    .replace(SYSTEM_TAG, escapeCharacters)
}

/** Applies `sanitize` to both streams, so that no command can forget it. */
export function createSanitizedIo(io: CliIo): CliIo {
  return { ...io, out: (text) => io.out(sanitize(text)), err: (text) => io.err(sanitize(text)), raw: io }
}

/** The unfiltered streams, for a filter's output, another program's output or a line that is overwritten. */
export function getRawIo<Stream extends 'out' | 'err'>(io: Pick<CliIo, Stream | 'raw'>): Pick<CliIo, Stream> {
  return io.raw ?? io
}

/** For an empty list in a project that captures nothing. */
export const SWITCHED_OFF =
  'Holdfast is switched off here (`continuity.enabled` or `capture`). `holdfast config` shows where that is set.'

/** Results of checking a line, as a person reads them. */
export const CHECKED_LINE: Readonly<Record<Verdict, string>> = {
  holds: 'unchanged since',
  changed: 'changed since',
  gone: 'missing',
  'cannot-tell': 'not checked',
}

/** Wrapped to the width of a terminal. */
export function printLine(io: Pick<CliIo, 'out' | 'columns'>, line = ''): void {
  const { columns } = io
  const text = sanitize(line)
  io.out(`${columns === undefined ? text : text.replace(/[^\n]+/g, (one) => wrapLine(one, columns))}\n`)
}

/** For what is copied as a whole, such as a command or a link: the terminal breaks it, and it stays one line. */
export function printUnbroken(io: Pick<CliIo, 'out'>, line: string): void {
  io.out(`${sanitize(line)}\n`)
}

function visibleWidth(text: string): number {
  return text.replace(COLOR_CODES, '').length
}

/** Replaces invisible characters in stored text, which comes from repositories and models. */
export function printable(text: string): string {
  return text.replace(ALL_INVISIBLE, '�').replace(SYSTEM_TAG, '‹')
}

function onOneLine(text: string): string {
  return text.replace(/[\t\n\u2028\u2029]/g, '�')
}

/** As `printable`, for a name within a line (a key, a path, a branch): newlines are replaced too. */
export function printableName(name: string): string {
  return onOneLine(printable(name))
}

const GAP = 2
/** A last column narrower than this is printed on separate lines. */
const MIN_LAST_WIDTH = 24

/** Lines of at most `width` characters, broken at spaces, or behind `/` and `-` in a word that is longer. */
function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const piece of text.match(/\S+\s*/g) ?? []) {
    const parts = visibleWidth(piece.trimEnd()) > width ? (piece.match(/[^/-]*[/-]?\s*/g) ?? []) : [piece]
    for (const part of parts) {
      const line = lines.at(-1)
      if (line === undefined || visibleWidth(line + part.trimEnd()) > width) lines.push(part)
      else lines[lines.length - 1] = line + part
    }
  }
  return lines.map((line) => line.trimEnd())
}

/** Breaks a line at spaces only; what follows is indented further. Links and commands that were left whole stay so. */
function wrapLine(line: string, width: number): string {
  if (visibleWidth(line) <= width || line.includes('://')) return line
  const indent = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  for (const word of line.slice(indent.length).match(/\S+\s*/g) ?? []) {
    const last = lines.at(-1)
    const room = width - indent.length - (lines.length > 1 ? GAP : 0)
    if (last !== undefined && visibleWidth(last + word.trimEnd()) <= room) lines[lines.length - 1] = last + word
    else lines.push(word)
  }
  return lines.map((part, index) => `${indent}${index === 0 ? '' : ' '.repeat(GAP)}${part.trimEnd()}`).join('\n')
}

/** One row in a narrow terminal: cells that do not fit go on indented lines, and no word is cut. */
function stackRow(row: readonly string[], widths: readonly number[], width: number): string {
  const lines = ['']
  row.forEach((cell, column) => {
    if (cell === '') return
    const line = lines.at(-1) ?? ''
    const start = visibleWidth(line) + (line.trim() === '' ? 0 : GAP)
    const isLast = row.slice(column + 1).every((later) => later === '')
    const fits = start + visibleWidth(cell) <= width
    if (fits || (isLast && width - start >= MIN_LAST_WIDTH)) {
      const [first = '', ...others] = fits ? [cell] : wrapWords(cell, width - start)
      const padding = ' '.repeat(isLast ? 0 : Math.max(0, Math.min(widths[column] ?? 0, 40) - visibleWidth(cell)))
      lines[lines.length - 1] = `${line}${' '.repeat(start - visibleWidth(line))}${first}${padding}`
      for (const other of others) lines.push(`${' '.repeat(start)}${other}`)
    } else for (const part of wrapWords(cell, width - GAP)) lines.push(`${' '.repeat(GAP)}${part}`)
  })
  return lines.map((line) => line.trimEnd()).join('\n')
}

/**
 * Aligns columns two spaces apart, without trailing spaces. Newlines within a cell are replaced. Rows that are wider than
 * the terminal are broken between cells and words.
 */
export function table(cells: readonly (readonly string[])[], width = process.stdout.columns): string {
  const rows = cells.map((row) => row.map((cell) => onOneLine(sanitize(cell))))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => visibleWidth(row[column] ?? ''))),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visibleWidth(cell))))
      .join(' '.repeat(GAP))
      .trimEnd(),
  )
  return lines
    .map((line, index) =>
      visibleWidth(line) <= (width ?? Infinity) ? line : stackRow(rows[index] ?? [], widths, width),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** One line of at most `width` characters; a cut is marked with an ellipsis. */
export function oneLine(text: string, width: number): string {
  const line = printable(text.replace(/\s+/g, ' ').trim())
  return truncate(line, width)
}

/** How long ago `at` was, to the second. */
export function formatAge(at: string, now: string): string {
  return formatAgeTo(at, now, 1_000)
}

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? singular : plural}`
}
