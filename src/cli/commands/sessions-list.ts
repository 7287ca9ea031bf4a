import { systemClock } from '../../platform/clock.ts'
import { isSet, numberOption, wholeNumber } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import { age, colorsOf, count, printable, printJson, printLine, table } from '../output.ts'

const DEFAULT_LIMIT = 10

export const sessionsListCommand: CliCommand = {
  name: 'sessions list',
  summary: 'sessions of this project, latest activity first',
  configure(command) {
    command
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
      .option('--live', 'only sessions that are under way')
      .option('--all', 'of every project')
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const sessions = await continuity.listSessions({
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
      ...(!isSet(options, 'all') && { cwd: context.cwd }),
      ...(isSet(options, 'live') && { phases: ['idle', 'working', 'compacting'] }),
    })
    if (isSet(options, 'json')) {
      printJson(context.io, sessions)
    } else if (sessions.length === 0) {
      printLine(context.io, 'No session was seen here yet. `holdfast init` connects a harness.')
    } else {
      const { dim } = colorsOf(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          sessions.map((session) => [
            printable(session.key),
            session.harness,
            session.phase,
            dim(age(session.lastEventAt, now)),
            count(session.promptCount, 'prompt'),
            printable(session.place?.branch ?? ''),
            dim(printable(session.place?.worktree ?? session.cwd ?? '')),
          ]),
        ),
      )
    }
    return 0
  },
}
