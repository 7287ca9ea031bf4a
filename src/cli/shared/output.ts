import pc from 'picocolors'
import type { CliIo } from './command.ts'

export type Colors = ReturnType<typeof pc.createColors>

export function colorsOf(io: Pick<CliIo, 'hasColor'>): Colors {
  return pc.createColors(io.hasColor)
}

/** With `--json`, stdout holds exactly one JSON document, whether things went well or not. */
export function printJson(io: Pick<CliIo, 'out'>, value: unknown): void {
  io.out(`${jsonText(value)}\n`)
}

const COLOR_CODE = `${String.fromCharCode(27)}\\[[0-9;]*m`
const COLOR_CODES = new RegExp(COLOR_CODE, 'g')
/** Acted on by a terminal, or not seen and read all the same: controls, bidi and zero-width characters, blanks without width, tags. */
const UNSEEN = String.raw`[\p{Cc}\p{Bidi_Control}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]`
const UNSEEN_BESIDE_COLORS = new RegExp(`(?!${COLOR_CODE}|[\\t\\n])${UNSEEN}`, 'gu')
const UNSEEN_AT_ALL = new RegExp(`(?![\\t\\n])${UNSEEN}`, 'gu')
/** How harnesses mark their own words in what a model reads. Agents run this program too, and take its output in. */
const SYSTEM_TAG =
  /<(?=\s*\/?\s*(?:system\b|system[-_]|human\b|assistant\b|function_|antml|invoke\b|tool_|user-prompt-submit|command-(?:name|message|args)\b|local-command|\||!\[?))/gi

/** Whatever found its way into a text of ours, nothing but our colours is acted on by a terminal, and nothing passes for a harness's word. */
export function harmless(text: string): string {
  return text.replace(UNSEEN_BESIDE_COLORS, '�').replace(SYSTEM_TAG, '‹')
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join(
    '',
  )
}

/** The exact value, in which nothing is unseen and nothing passes for a harness's word. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSEEN_AT_ALL, escaped).replace(SYSTEM_TAG, escaped)
}

/** What every command prints on: `harmless` stands before both streams, once, whatever a command forgets. */
export function harmlessIo(io: CliIo): CliIo {
  return { ...io, out: (text) => io.out(harmless(text)), err: (text) => io.err(harmless(text)), raw: io }
}

/** For what must get through as it is: a filter's output, another program's, a line that is written over. */
export function rawOf<Stream extends 'out' | 'err'>(io: Pick<CliIo, Stream | 'raw'>): Pick<CliIo, Stream> {
  return io.raw ?? io
}

export function printLine(io: Pick<CliIo, 'out'>, line = ''): void {
  io.out(`${harmless(line)}\n`)
}

function visibleWidth(text: string): number {
  return text.replace(COLOR_CODES, '').length
}

/** Kept text comes from repositories and models: what a terminal would act on is shown as a mark instead. */
export function printable(text: string): string {
  return text.replace(UNSEEN_AT_ALL, '�').replace(SYSTEM_TAG, '‹')
}

function onOneLine(text: string): string {
  return text.replace(/[\t\n\u2028\u2029]/g, '�')
}

/** As `printable`, for what stands inside a line and is a name (a key, a path, a branch): it begins no line of its own. */
export function printableName(name: string): string {
  return onOneLine(printable(name))
}

/** Columns wide enough for their widest cell, two spaces apart; no trailing spaces. A cell stays in its row. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => onOneLine(harmless(cell))))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => visibleWidth(row[column] ?? ''))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visibleWidth(cell))))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** One line of at most `width` characters, with an ellipsis where it was cut. */
export function oneLine(text: string, width: number): string {
  const line = printable(text.replace(/\s+/g, ' ').trim())
  if (line.length <= width) return line
  return `${Array.from(line)
    .slice(0, Math.max(0, width - 1))
    .join('')}…`
}

const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1_000, name: 's' },
] as const

/** A duration in its largest whole unit: `3 min`, `2 d`. */
export function duration(ms: number): string {
  const unit = UNITS.find((candidate) => ms >= candidate.ms)
  return unit === undefined ? '0 s' : `${Math.floor(ms / unit.ms)} ${unit.name}`
}

/** How long ago `at` was. A clock that was set back gives `just now`, never a time to come. */
export function age(at: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(at)
  if (Number.isNaN(ms)) return 'at an unknown time'
  return ms < 1_000 ? 'just now' : `${duration(ms)} ago`
}

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? singular : plural}`
}
