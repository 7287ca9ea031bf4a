import type { ParsedCheckpoint } from './format/file-format.ts'
import type { StaleWarning } from './format/stale-warnings.ts'

export interface BannerInput {
  readonly name: string
  readonly read: ParsedCheckpoint
  /** `3 h ago`; empty if unknown. */
  readonly age: string
  readonly warnings: readonly StaleWarning[]
  /** Written by this Holdfast and unchanged since. */
  readonly isOurs: boolean
}

const RULE = '━'.repeat(40)
const MAX_SECTION_LINES = 20

function indented(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const shown = lines.slice(0, MAX_SECTION_LINES).map((line) => `   ${line}`)
  return lines.length > MAX_SECTION_LINES ? [...shown, `   … ${lines.length - MAX_SECTION_LINES} more lines`] : shown
}

function section(title: string, text: string): readonly string[] {
  return text.trim() === '' ? [] : [title, ...indented(text)]
}

/** The summary that the user confirms before resuming. */
export function renderBanner({ name, read, age, warnings, isOurs }: BannerInput): string {
  const saved = read.createdAt === undefined ? 'unknown' : `${read.createdAt.slice(0, 16).replace('T', ' ')} UTC`
  return [
    RULE,
    `📌 Resume: ${read.task || name}`,
    `📅 Saved: ${saved}${age === '' ? '' : ` (${age})`}${isOurs ? '' : ' - edited by hand or written elsewhere'}`,
    ...section('✅ Progress:', read.sections.progress),
    ...section('🔜 Next action:', read.sections.nextAction || 'not stated'),
    ...section('⚠️ Blockers:', read.sections.blockers),
    ...section('🧭 Key decisions:', read.sections.decisions),
    ...section('📎 Context:', read.sections.context),
    ...(warnings.length === 0 ? [] : ['⚠️ Stale warnings:', ...warnings.map(({ text }) => `   - ${text}`)]),
    RULE,
  ].join('\n')
}
