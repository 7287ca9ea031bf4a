import { isSet, textOption, numberOption, sessionKey, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import {
  count,
  oneLine,
  printJson,
  printLine,
  printable,
  formatAge,
  getColors,
  table,
  SWITCHED_OFF,
} from '../../shared/output.ts'
import { openTasks } from '../tasks/task-ports.ts'
import type { CheckpointQuery } from '../../../kernel/ports/store-queries.ts'
import { CheckpointId, SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'

const DEFAULT_LIMIT = 10

async function createQuery({ options, context }: CommandInput): Promise<CheckpointQuery> {
  const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
  const session = textOption(options, 'session')
  if (session !== undefined) {
    const { id } = await (await context.continuity()).getSession(SessionKey(session))
    return { sessionId: id, limit }
  }
  if (isSet(options, 'all')) return { limit }
  const { projectId } = await (await context.continuity()).locate(context.cwd)
  return { projectId, limit }
}

export const checkpointsListCommand: CliCommand = {
  configure(command) {
    command
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
      .option('--session <key>', 'only of this session', sessionKey)
      .option('--all', 'include every project')
  },
  async run(input) {
    const { options, context } = input
    const continuity = await context.continuity()
    const checkpoints = await continuity.listCheckpoints(await createQuery(input))
    if (isSet(options, 'json')) {
      printJson(
        context.io,
        checkpoints.map(({ checkpoint, seq, hash }) => ({ ...checkpoint, seq, hash })),
      )
    } else if (checkpoints.length === 0) {
      const isOn = context.config.continuity.enabled
      printLine(
        context.io,
        isOn ? 'No checkpoints yet. Holdfast takes them automatically while an agent works.' : SWITCHED_OFF,
      )
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          checkpoints.map(({ checkpoint }) => [
            checkpoint.id,
            dim(formatAge(checkpoint.createdAt, now)),
            checkpoint.trigger,
            checkpoint.place.branch ?? '-',
            oneLine(checkpoint.name ?? checkpoint.summary, 70),
          ]),
        ),
      )
    }
    return 0
  },
}

export const checkpointsShowCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'the id, or a unique part of it')
  },
  async run({ args: [id = ''], options, context }) {
    const { io } = context
    const { checkpoint, seq, hash } = await (await context.continuity()).getCheckpoint(CheckpointId(id))
    if (isSet(options, 'json')) printJson(io, { ...checkpoint, seq, hash })
    else {
      const { dim } = getColors(io)
      printLine(io, `${checkpoint.id}  ${checkpoint.trigger}  ${checkpoint.name ?? ''}`.trimEnd())
      printLine(io, dim(`  ${checkpoint.createdAt}  ${checkpoint.harness} session ${printable(checkpoint.sessionKey)}`))
      printLine(
        io,
        dim(`  ${printable(checkpoint.place.worktree)}  ${printable(checkpoint.place.branch ?? '')}`.trimEnd()),
      )
      printLine(io)
      printLine(io, printable(checkpoint.digest))
    }
    return 0
  },
}

export const checkpointsVerifyCommand: CliCommand = {
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--repair', 'rebuild index and status from the files and join branches after a merge')
      .addHelpText('after', '\nExit code: 0 if the chain is intact, 1 if not. Each finding is one line.')
  },
  async run({ options, context }) {
    const { io } = context
    const tasks = await openTasks(context)
    const at = { cwd: context.cwd, slug: textOption(options, 'task') ?? '' }
    const verified = isSet(options, 'repair') ? await tasks.repair(at) : await tasks.verify(at)
    const { findings, checkpoints, sessions, head } = verified
    if (isSet(options, 'json')) printJson(io, { ...verified, isSound: findings.length === 0 })
    else if (findings.length === 0)
      printLine(
        io,
        `Intact: ${count(checkpoints, 'checkpoint')} of ${count(sessions, 'session')} in one chain, up to ${head ?? 'none'}.`,
      )
    else
      for (const { kind, subject, message, remedy } of findings)
        printLine(io, oneLine(`${kind} ${subject}: ${message} ${remedy}`, 2_000))
    return findings.length === 0 ? 0 : 1
  },
}
