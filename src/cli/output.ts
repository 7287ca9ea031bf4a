import pc from 'picocolors'
import type { CliIo } from './command.ts'

export type Colors = ReturnType<typeof pc.createColors>

export function colorsOf(io: Pick<CliIo, 'hasColor'>): Colors {
  return pc.createColors(io.hasColor)
}

/** With `--json`, stdout holds exactly one JSON document, whether things went well or not. */
export function printJson(io: Pick<CliIo, 'out'>, value: unknown): void {
  io.out(`${JSON.stringify(value, undefined, 2)}\n`)
}

const COLOR_CODE = `${String.fromCharCode(27)}\\[[0-9;]*m`
const COLOR_CODES = new RegExp(COLOR_CODE, 'g')
const DRIVES_A_TERMINAL = new RegExp(`(?!${COLOR_CODE}|[\\t\\n])[\\p{Cc}\\p{Bidi_Control}]`, 'gu')

/** Whatever found its way into a text of ours, nothing but our colours is acted on by a terminal. */
export function harmless(text: string): string {
  return text.replace(DRIVES_A_TERMINAL, '�')
}

export function printLine(io: Pick<CliIo, 'out'>, line = ''): void {
  io.out(`${harmless(line)}\n`)
}

function visibleWidth(text: string): number {
  return text.replace(COLOR_CODES, '').length
}

/** Kept text comes from repositories and models: what a terminal would act on is shown as a mark instead. */
export function printable(text: string): string {
  return text.replace(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu, '�')
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
