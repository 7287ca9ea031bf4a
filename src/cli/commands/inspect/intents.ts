import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { formatAge, getColors, oneLine, printJson, printLine, table } from '../../shared/output.ts'

const DEFAULT_LIMIT = 20

export const intentsCommand: CliCommand = {
  configure(command) {
    command
      .option('--project <name>', 'a registered project (default: the current one)')
      .option('--all', 'include completed intents')
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
  },
  async run({ options, context }) {
    const agentApi = await context.agentApi()
    const project = textOption(options, 'project')
    const intents = await agentApi.listIntents({
      cwd: context.cwd,
      ...(project !== undefined && { project }),
      includeCompleted: isSet(options, 'all'),
      limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    })
    if (isSet(options, 'json')) {
      printJson(context.io, intents)
    } else if (intents.length === 0) {
      printLine(context.io, 'No session has declared an intent here.')
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          intents.map((intent) => [
            oneLine(intent.sessionLabel, 24),
            intent.completedAt === undefined ? intent.standing : 'completed',
            dim(formatAge(intent.startedAt, now)),
            oneLine(intent.intent, 70),
            dim(oneLine(intent.files.join(', '), 60)),
          ]),
        ),
      )
    }
    return 0
  },
}
