import { isSet, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { lastLines, newLines } from '../../shared/log-file.ts'
import { printable, printJson, printLine } from '../../shared/output.ts'

const DEFAULT_LINES = 50

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Something the daemon did not log itself, such as a crash of the process: shown as it is.
    return { message: line }
  }
}

export const daemonLogsCommand: CliCommand = {
  name: 'daemon logs',
  summary: 'the end of its log',
  configure(command) {
    command
      .option('-n, --lines <n>', `how many lines (default: ${DEFAULT_LINES})`, wholeNumber(0, 100_000))
      .option('-f, --follow', 'go on with new lines as they come, until interrupted')
  },
  async run({ options, context: { home, io } }) {
    const { lines, endOffset } = await lastLines(home.daemonLog, numberOption(options, 'lines') ?? DEFAULT_LINES)
    if (isSet(options, 'json') && !isSet(options, 'follow')) {
      printJson(io, lines.map(parsed))
      return 0
    }
    for (const line of lines) printLine(io, printable(line))
    if (!isSet(options, 'follow')) return 0
    for await (const line of newLines(home.daemonLog, endOffset)) printLine(io, printable(line))
    return 0
  },
}
