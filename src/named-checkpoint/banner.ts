import type { ReadCheckpoint } from './format/parse.ts'
import type { StaleWarning } from './format/stale.ts'

export interface BannerInput {
  readonly name: string
  readonly read: ReadCheckpoint
  /** `3 h ago`; empty when unknown. */
  readonly age: string
  readonly warnings: readonly StaleWarning[]
  /** Written by this Holdfast and untouched since. */
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

/** What a person reads before saying yes. */
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
