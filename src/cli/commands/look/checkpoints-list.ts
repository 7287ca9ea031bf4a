import type { CheckpointQuery } from '../../../kernel/ports/ports.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { age, colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'

const DEFAULT_LIMIT = 10

async function queryOf({ options, context }: CommandInput): Promise<CheckpointQuery> {
  const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
  const session = textOption(options, 'session')
  if (session !== undefined) return { sessionKey: SessionKey(session), limit }
  if (isSet(options, 'all')) return { limit }
  const { projectId } = await (await context.continuity()).locate(context.cwd)
  return { projectId, limit }
}

export const checkpointsListCommand: CliCommand = {
  name: 'checkpoints list',
  summary: 'checkpoints of this project, newest first',
  configure(command) {
    command
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
      .option('--session <key>', 'only of this session', sessionKey)
      .option('--all', 'of every project')
  },
  async run(input) {
    const { options, context } = input
    const continuity = await context.continuity()
    const checkpoints = await continuity.listCheckpoints(await queryOf(input))
    if (isSet(options, 'json')) {
      printJson(
        context.io,
        checkpoints.map(({ checkpoint, seq, hash }) => ({ ...checkpoint, seq, hash })),
      )
    } else if (checkpoints.length === 0) {
      printLine(context.io, 'There are no checkpoints here yet. They come by themselves while an agent works.')
    } else {
      const { dim } = colorsOf(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          checkpoints.map(({ checkpoint }) => [
            checkpoint.id,
            dim(age(checkpoint.createdAt, now)),
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
