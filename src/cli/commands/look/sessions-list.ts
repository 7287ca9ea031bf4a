import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CliContext } from '../../shared/command.ts'
import { age, colorsOf, count, oneLine, printableName, printJson, printLine, table } from '../../shared/output.ts'
import { machineNames } from '../../shared/machine-of.ts'
import { tasksOf } from '../tasks/task-ports.ts'

const DEFAULT_LIMIT = 10

async function listTaskSessions(context: CliContext, slug: string, isJson: boolean): Promise<void> {
  const { sessions } = await (await tasksOf(context)).show({ cwd: context.cwd, slug })
  if (isJson) return printJson(context.io, sessions)
  if (sessions.length === 0)
    return printLine(context.io, `No session yet. \`holdfast session start --task ${slug}\` starts one.`)
  const { dim } = colorsOf(context.io)
  const now = systemClock.now()
  context.io.out(
    table(
      sessions.map((session) => [
        session.session_id,
        session.state,
        session.current_gate,
        dim(age(session.last_activity, now)),
        count(session.checkpoint_count, 'checkpoint'),
        session.outcome ?? '-',
        oneLine(session.goal ?? '', 60),
      ]),
    ),
  )
}

export const sessionsListCommand: CliCommand = {
  name: 'sessions list',
  summary: 'sessions of this project, latest activity first',
  configure(command) {
    command
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
      .option('--live', 'only sessions that are under way')
      .option('--all', 'of every project')
      .option('--task <slug>', 'the sessions of this governed task')
  },
  async run({ options, context }) {
    const slug = textOption(options, 'task')
    if (slug !== undefined) {
      await listTaskSessions(context, slug, isSet(options, 'json'))
      return 0
    }
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
      const whereOf = machineNames(context)
      context.io.out(
        table(
          sessions.map((session) => [
            printableName(session.key),
            session.harness,
            session.phase,
            dim(age(session.lastEventAt, now)),
            count(session.promptCount, 'prompt'),
            printableName(session.place?.branch ?? ''),
            dim(`${printableName(session.place?.worktree ?? session.cwd ?? '')}${whereOf(session)}`),
            session.continues === undefined ? '' : dim(`continues ${printableName(session.continues)}`),
          ]),
        ),
      )
    }
    return 0
  },
}
