import { shortKey, SessionKey } from '../../../kernel/id.ts'
import type { Stats } from '../../../outcomes/use-cases.ts'
import { type Receipt, unchangedRereads } from '../../../kernel/start-outcome.ts'
import type { SectionScore } from '../../../outcomes/scorer.ts'
import type { Comparison, Spread, StartSummary } from '../../../outcomes/stats.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { projectOption } from '../../shared/project-option.ts'
import {
  age,
  type Colors,
  colorsOf,
  count,
  duration,
  oneLine,
  printableName,
  printJson,
  printLine,
  table,
} from '../../shared/output.ts'

const DEFAULT_LIMIT = 10

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
  { name: 'share of work done again', of: ({ reworkRatio }) => reworkRatio, show: (value) => value.toFixed(2) },
  { name: 'known, not told, needed', of: ({ novel_context_count: needed }) => needed },
  { name: 'tool calls to the first edit', of: ({ callsToFirstEdit }) => callsToFirstEdit },
  { name: 'time to the first edit', of: ({ msToFirstEdit }) => msToFirstEdit, show: duration },
]

function cell(spread: Spread | undefined, show: (value: number) => string): string {
  if (spread === undefined) return '-'
  const { n, median, lowest, highest } = spread
  return lowest === highest ? `${show(median)} (n ${n})` : `${show(median)} (${show(lowest)}–${show(highest)}, n ${n})`
}

function comparisonText({ circumstance, warm, cold, caution }: Comparison, { bold, dim }: Colors): string {
  const rows = FIGURES.flatMap(({ name, of, show = (value: number) => String(value) }) =>
    of(warm) === undefined && of(cold) === undefined ? [] : [[`  ${name}`, cell(of(warm), show), cell(of(cold), show)]],
  )
  const head = [`${bold(TITLES[circumstance])}, median`, `told (${warm.starts})`, `not told (${cold.starts})`]
  return `${table([head, ...rows])}${dim(`  ${caution}`)}\n`
}

function receiptRow(receipt: Receipt, now: string): readonly string[] {
  const { rework } = receipt
  return [
    shortKey(printableName(receipt.sessionKey)),
    receipt.source ?? 'start',
    receipt.isWarm ? 'told' : 'not told',
    age(receipt.startedAt, now),
    count(receipt.calls, 'call'),
    receipt.callsToFirstEdit === undefined ? 'no edit' : `edit after ${receipt.callsToFirstEdit}`,
    rework === undefined
      ? 'nothing before it'
      : `${unchangedRereads(rework)} read again, ${rework.commandsRepeated.length} repeated, ${rework.decisionsReopened.length} reopened`,
  ]
}

const STANDINGS = { unchanged: '', changed: ', changed since', 'cannot-tell': ', perhaps changed since' } as const

/** One start in full: what was done again, by name. */
function receiptText(receipt: Receipt, now: string, { bold }: Colors): string {
  const { rework } = receipt
  const lines = [
    ...(rework?.filesReread ?? []).map(
      ({ path, standing, isEditedAfter }) =>
        `read again: ${path}${STANDINGS[standing]}${isEditedAfter ? ', then edited' : ''}`,
    ),
    ...(rework?.commandsRepeated ?? []).map((command) => `repeated: ${command}`),
    ...(rework?.decisionsReopened ?? []).map((decision) => `reopened: ${decision}`),
    ...(rework === undefined ? [] : [`known, not told, needed: ${rework.novel_context_count}`]),
  ]
  return `${bold(receiptRow(receipt, now).slice(1).join('  '))}\n${lines.map((line) => `  ${oneLine(line, 120)}\n`).join('')}`
}

function scorerRows(sections: readonly SectionScore[]): readonly (readonly string[])[] {
  return [
    ['section', 'usual', 'everywhere', 'here', 'factor'],
    ...sections.map(({ section, usualRate, everywhere, here, factor }) => [
      section,
      usualRate.toFixed(2),
      `${everywhere.used.toFixed(1)}/${everywhere.shown} of ${count(everywhere.sessions, 'session')}`,
      `${here.used.toFixed(1)}/${here.shown} of ${count(here.sessions, 'session')}`,
      factor.toFixed(2),
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
  const latest = stats.receipts.map((receipt) => receiptRow(receipt, now))
  const scorer = isScorer
    ? `\n${bold(`Scorer (${stats.scorer.isEnabled ? 'on' : 'off: `scorer.enabled`'})`)}\n${table(scorerRows(stats.scorer.sections))}${dim('Votes of lines that were used, of those shown; the factor multiplies what a line of that section is worth.\n')}`
    : ''
  const pending =
    stats.pendingSessions === 0
      ? ''
      : dim(`${count(stats.pendingSessions, 'session')} still to be looked at: ask again in a moment.\n`)
  return `${projects.join('')}${latest.length === 0 ? '' : `${bold('Latest starts')}\n${table(latest)}`}${pending}${scorer}`
}

export const statsCommand: CliCommand = {
  name: 'stats',
  summary: 'what sessions did again after they were told where they were, against those told nothing',
  configure(command) {
    command
      .option('--project [dir]', 'only the project of this directory (default: the one here)')
      .option('--session <key>', 'each start of this session, with what was done again by name', sessionKey)
      .option('--scorer', 'also what was learnt of the use of what is shown')
      .option('--limit <n>', `at most this many starts one by one (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 1_000))
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const session = textOption(options, 'session')
    if (session !== undefined) {
      const receipts = await continuity.sessionReceipts(SessionKey(session))
      const now = systemClock.now()
      const colors = colorsOf(context.io)
      if (isSet(options, 'json')) printJson(context.io, { receipts })
      else if (receipts.length === 0) printLine(context.io, 'Nothing has been seen of this session that could be told.')
      else context.io.out(receipts.map((receipt) => receiptText(receipt, now, colors)).join('\n'))
      return 0
    }
    const stats = await continuity.stats({
      ...projectOption(options, context.cwd),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    })
    const { io } = context
    if (isSet(options, 'json')) printJson(io, stats)
    else if (stats.projects.length === 0) {
      printLine(io, 'No session has done anything here yet that could be compared.')
      if (isSet(options, 'scorer')) io.out(statsText(stats, { isScorer: true, colors: colorsOf(io) }))
    } else io.out(statsText(stats, { isScorer: isSet(options, 'scorer'), colors: colorsOf(io) }))
    return 0
  },
}
