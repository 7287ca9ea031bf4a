import { shortKey, SessionKey } from '../../../kernel/id.ts'
import type { LedgerEntry, LedgerLine } from '../../../outcomes/ledger.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber, projectOption } from '../../shared/arguments.ts'
import { measureConnections } from './cost.ts'
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
} from '../../shared/output.ts'

const DEFAULT_LIMIT = 20

function formatUse({ use }: LedgerLine): string {
  if (use === undefined || use.status === 'cannot-tell') return '·'
  return use.status === 'used' ? '✓' : ' '
}

function entryText(entry: LedgerEntry, now: string, { bold, dim }: Colors): string {
  if (entry.isSkipped) {
    const skipped = `${bold(entry.kind)}  ${shortKey(printableName(entry.sessionKey))}  ${formatAge(entry.at, now)}  skipped`
    return `${skipped}\n${dim(`  ${oneLine(entry.why, 120)}`)}\n`
  }
  const used = entry.lineCount === 0 ? 'use not measured' : `${entry.usedCount} of ${entry.lineCount} used`
  const size = `${count(entry.chars, 'character')} (about ${count(entry.estimatedTokens, 'token')})`
  const head = `${bold(entry.kind)}  ${shortKey(printableName(entry.sessionKey))}  ${formatAge(entry.at, now)}  ${size}  ${used}`
  const lines = entry.lines.map(
    (line) =>
      `  ${formatUse(line)} ${oneLine(`${line.section === undefined ? '' : `${line.section}: `}${line.line}`, 100)}\n`,
  )
  return `${head}\n${dim(`  ${oneLine(entry.why, 120)}`)}\n${lines.join('')}`
}

export const ledgerCommand: CliCommand = {
  configure(command) {
    command
      .option('--session <key>', 'only of this session', sessionKey)
      .option('--project [dir]', 'only this project (default: the current one)')
      .option('--skipped', 'include starts without injected text, and the reason')
      .option('--limit <n>', `at most this many, newest first (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 200))
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const session = textOption(options, 'session')
    const ledger = await continuity.ledger({
      ...(session === undefined ? {} : { sessionKey: SessionKey(session) }),
      ...projectOption(options, context.cwd),
      includeSkipped: isSet(options, 'skipped'),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    })
    const { io } = context
    const fixed = await measureConnections(context)
    if (isSet(options, 'json')) printJson(io, { ...ledger, beforeFirstPrompt: fixed })
    else if (ledger.entries.length === 0) printLine(io, 'No text has been added to a session yet.')
    else {
      const now = systemClock.now()
      const colors = getColors(io)
      printLine(
        io,
        ledger.entries
          .map((entry) => entryText(entry, now, colors))
          .join('\n')
          .trimEnd(),
      )
      const { injections, chars, estimatedTokens, lineCount, usedCount } = ledger.totals
      printLine(
        io,
        `\n${count(injections, 'injection')}, ${count(chars, 'character')}, about ${count(estimatedTokens, 'token')}; ${usedCount} of ${count(lineCount, 'line')} whose use can be measured ${usedCount === 1 ? 'was' : 'were'} used.`,
      )
    }
    if (!isSet(options, 'json'))
      for (const { harness, totalChars } of fixed)
        printLine(
          io,
          `Every ${harness} session: ${count(totalChars, 'character')} before its first prompt (\`holdfast cost\`).`,
        )
    return 0
  },
}
