import { shortKey, SessionKey } from '../../../kernel/id.ts'
import type { LedgerEntry, LedgerLine } from '../../../outcomes/ledger.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { age, type Colors, colorsOf, count, oneLine, printableName, printJson, printLine } from '../../shared/output.ts'
import { projectOption } from '../../shared/project-option.ts'

const DEFAULT_LIMIT = 20

function useOf({ use }: LedgerLine): string {
  if (use === undefined || use.status === 'cannot-tell') return '·'
  return use.status === 'used' ? '✓' : ' '
}

function entryText(entry: LedgerEntry, now: string, { bold, dim }: Colors): string {
  const used = entry.lineCount === 0 ? 'use not seen' : `${entry.usedCount} of ${entry.lineCount} used`
  const size = `${count(entry.chars, 'character')} (about ${count(entry.estimatedTokens, 'token')})`
  const head = `${bold(entry.kind)}  ${shortKey(printableName(entry.sessionKey))}  ${age(entry.at, now)}  ${size}  ${used}`
  const lines = entry.lines.map(
    (line) =>
      `  ${useOf(line)} ${oneLine(`${line.section === undefined ? '' : `${line.section}: `}${line.line}`, 100)}\n`,
  )
  return `${head}\n${dim(`  ${oneLine(entry.why, 120)}`)}\n${lines.join('')}`
}

export const ledgerCommand: CliCommand = {
  name: 'ledger',
  summary: 'what was put before agents: when, why, at what cost, and whether it was used',
  configure(command) {
    command
      .option('--session <key>', 'only of this session', sessionKey)
      .option('--project [dir]', 'only of the project of this directory (default: the one here)')
      .option('--limit <n>', `at most this many, newest first (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 200))
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const session = textOption(options, 'session')
    const ledger = await continuity.ledger({
      ...(session === undefined ? {} : { sessionKey: SessionKey(session) }),
      ...projectOption(options, context.cwd),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    })
    const { io } = context
    if (isSet(options, 'json')) printJson(io, ledger)
    else if (ledger.entries.length === 0) printLine(io, 'Nothing has been put before an agent yet.')
    else {
      const now = systemClock.now()
      const colors = colorsOf(io)
      io.out(ledger.entries.map((entry) => entryText(entry, now, colors)).join('\n'))
      const { injections, chars, estimatedTokens, lineCount, usedCount } = ledger.totals
      printLine(
        io,
        `\n${count(injections, 'injection')}, ${count(chars, 'character')}, about ${count(estimatedTokens, 'token')}; ${usedCount} of ${count(lineCount, 'line')} that can be followed ${usedCount === 1 ? 'was' : 'were'} used.`,
      )
    }
    return 0
  },
}
