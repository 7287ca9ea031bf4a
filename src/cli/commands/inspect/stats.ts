import { shortKey, SessionKey } from '../../../kernel/id.ts'
import type { Stats } from '../../../outcomes/use-cases.ts'
import { type StartOutcome, unchangedRereads } from '../../../kernel/start-outcome.ts'
import type { Comparison, SectionUse, Spread, StartSummary } from '../../../outcomes/stats.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber, projectOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import {
  formatAge,
  type Colors,
  getColors,
  count,
  oneLine,
  printableName,
  printJson,
  printLine,
  table,
} from '../../shared/output.ts'
import { describeSignals } from './training-signals.ts'
import { formatDuration } from '../../../kernel/text/text.ts'

const DEFAULT_LIMIT = 10
const MAX_EXPORTED = 1_000

const TITLES: Readonly<Record<Comparison['circumstance'], string>> = {
  start: 'New sessions',
  resume: 'Resumed sessions',
  compact: 'After a compaction',
}

const FIGURES: readonly {
  readonly name: string
  readonly of: (summary: StartSummary) => Spread | undefined
  readonly show?: (value: number) => string
}[] = [
  { name: 'files read again, unchanged', of: ({ filesReread }) => filesReread },
  { name: 'commands repeated', of: ({ commandsRepeated }) => commandsRepeated },
  { name: 'decisions reopened', of: ({ decisionsReopened }) => decisionsReopened },
  { name: 'share of repeated work', of: ({ reworkRatio }) => reworkRatio, show: (value) => value.toFixed(2) },
  { name: 'useful facts that recovery left out', of: ({ novel_context_count: needed }) => needed },
  { name: 'tool calls to the first edit', of: ({ callsToFirstEdit }) => callsToFirstEdit },
  { name: 'time to the first edit', of: ({ msToFirstEdit }) => msToFirstEdit, show: formatDuration },
]

function cell(spread: Spread | undefined, show: (value: number) => string): string {
  if (spread === undefined) return '-'
  const { n, median, lowest, highest } = spread
  return lowest === highest ? `${show(median)} (n ${n})` : `${show(median)} (${show(lowest)}–${show(highest)}, n ${n})`
}

function figureRows(left: StartSummary, right: StartSummary): readonly (readonly string[])[] {
  return FIGURES.flatMap(({ name, of, show = (value: number) => String(value) }) =>
    of(left) === undefined && of(right) === undefined
      ? []
      : [[`  ${name}`, cell(of(left), show), cell(of(right), show)]],
  )
}

function comparisonText({ circumstance, warm, cold, caution }: Comparison, { bold, dim }: Colors): string {
  const rows = figureRows(warm, cold)
  const head = [`${bold(TITLES[circumstance])}, median`, `with recovery (${warm.starts})`, `without (${cold.starts})`]
  return `${table([head, ...rows])}${dim(`  ${caution}`)}\n`
}

function digestText({ requests, followed, startsWith, startsWithout }: Stats['digests'], colors: Colors): string {
  if (requests === 0 && startsWith.starts === 0) return ''
  const { bold } = colors
  const asked = `Agents were asked for a digest ${count(requests, 'time')}, and wrote one ${count(followed, 'time')}.`
  const rows = figureRows(startsWith, startsWithout)
  const head = ['  recoveries, median', `with a digest (${startsWith.starts})`, `without (${startsWithout.starts})`]
  return `${bold('Digests')}\n${asked}\n${rows.length === 0 ? '' : table([head, ...rows])}\n`
}

function outcomeRow(receipt: StartOutcome, now: string): readonly string[] {
  const { rework } = receipt
  return [
    shortKey(printableName(receipt.sessionKey)),
    receipt.source ?? 'start',
    receipt.isWarm ? 'with recovery' : 'without',
    formatAge(receipt.startedAt, now),
    count(receipt.calls, 'call'),
    receipt.callsToFirstEdit === undefined ? 'no edit' : `edit after ${receipt.callsToFirstEdit}`,
    rework === undefined
      ? 'no earlier work'
      : `${unchangedRereads(rework)} read again, ${rework.commandsRepeated.length} repeated, ${rework.decisionsReopened.length} reopened`,
  ]
}

const FILE_STATE_TEXT = {
  unchanged: '',
  changed: ', changed since',
  'cannot-tell': ', possibly changed since',
} as const

/** One start in full, with each repeated action. */
function renderOutcome(receipt: StartOutcome, now: string, { bold }: Colors): string {
  const { rework } = receipt
  const lines = [
    ...(rework?.filesReread ?? []).map(
      ({ path, standing: state, isEditedAfter }) =>
        `read again: ${path}${FILE_STATE_TEXT[state]}${isEditedAfter ? ', then edited' : ''}`,
    ),
    ...(rework?.commandsRepeated ?? []).map((command) => `repeated: ${command}`),
    ...(rework?.decisionsReopened ?? []).map((decision) => `reopened: ${decision}`),
    ...(rework === undefined ? [] : [`useful facts that recovery left out: ${rework.novel_context_count}`]),
  ]
  return `${bold(outcomeRow(receipt, now).slice(1).join('  '))}\n${lines.map((line) => `  ${oneLine(line, 120)}\n`).join('')}`
}

function scorerRows(sections: readonly SectionUse[]): readonly (readonly string[])[] {
  return [
    ['section', 'all projects', 'this project'],
    ...sections.map(({ section, everywhere, here }) => [
      section,
      `${everywhere.used.toFixed(1)}/${everywhere.shown} of ${count(everywhere.sessions, 'session')}`,
      `${here.used.toFixed(1)}/${here.shown} of ${count(here.sessions, 'session')}`,
    ]),
  ]
}

function statsText(stats: Stats, { isScorer, colors }: { isScorer: boolean; colors: Colors }): string {
  const { bold, dim } = colors
  const projects = stats.projects.map(
    ({ worktree, comparisons }) =>
      `${bold(printableName(worktree))}\n${comparisons.map((one) => comparisonText(one, colors)).join('')}\n`,
  )
  const now = systemClock.now()
  const latest = stats.receipts.map((receipt) => outcomeRow(receipt, now))
  const scorer = isScorer
    ? `\n${bold('Use of injected lines by section')}\n${table(scorerRows(stats.scorer.sections))}${dim('Used of shown; a session counts at most 3 lines of each section.\n')}`
    : ''
  const pending =
    stats.pendingSessions === 0
      ? ''
      : dim(`${count(stats.pendingSessions, 'session')} not evaluated yet; run this again in a moment.\n`)
  return `${projects.join('')}${digestText(stats.digests, colors)}${latest.length === 0 ? '' : `${bold('Latest starts')}\n${table(latest)}`}${pending}${scorer}`
}

export const statsCommand: CliCommand = {
  configure(command) {
    command
      .option('--project [dir]', 'only this project (default: the current one)')
      .option('--session <key>', 'each start of this session, with its repeated actions', sessionKey)
      .option('--scorer', 'also show how often injected lines were used, by section')
      .option('--export', 'one JSON object per start, for training a scorer (docs/outcomes.md)')
      .option('--limit <n>', `at most this many single starts (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 1_000))
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const session = textOption(options, 'session')
    if (session !== undefined) {
      const receipts = await continuity.sessionReceipts(SessionKey(session))
      const now = systemClock.now()
      const colors = getColors(context.io)
      if (isSet(options, 'json')) printJson(context.io, { receipts })
      else if (receipts.length === 0) printLine(context.io, 'Nothing to report about this session.')
      else context.io.out(receipts.map((receipt) => renderOutcome(receipt, now, colors)).join('\n'))
      return 0
    }
    const stats = await continuity.stats({
      ...projectOption(options, context.cwd),
      limit: numberOption(options, 'limit') ?? (isSet(options, 'export') ? MAX_EXPORTED : DEFAULT_LIMIT),
    })
    const { io } = context
    if (isSet(options, 'export')) {
      for (const outcome of stats.receipts) printLine(io, JSON.stringify(await describeSignals(continuity, outcome)))
      return 0
    }
    if (isSet(options, 'json')) printJson(io, stats)
    else if (stats.projects.length === 0) {
      printLine(io, 'No sessions to compare yet.')
      if (isSet(options, 'scorer')) io.out(statsText(stats, { isScorer: true, colors: getColors(io) }))
    } else io.out(statsText(stats, { isScorer: isSet(options, 'scorer'), colors: getColors(io) }))
    return 0
  },
}
