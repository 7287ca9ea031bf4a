import { HoldfastError } from '../../../kernel/errors.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { ensureRunning, findHealth } from '../../shared/daemon-access.ts'
import { printJson, printLine } from '../../shared/output.ts'

export const daemonStartCommand: CliCommand = {
  name: 'daemon start',
  summary: 'start it, unless it runs already',
  configure: () => undefined,
  async run({ options, context }) {
    const { home, io } = context
    const before = await findHealth(home)
    if (before === undefined) await ensureRunning(context)
    const health = before ?? (await findHealth(home))
    if (health === undefined) {
      throw new HoldfastError('daemon-unavailable', 'The daemon was started and is gone again.', {
        hint: `Its log is ${home.daemonLog}; \`holdfast daemon logs\` shows its end.`,
      })
    }
    const { pid, version, startedAt } = health
    if (isSet(options, 'json')) printJson(io, { pid, version, startedAt, wasRunning: before !== undefined })
    else printLine(io, before === undefined ? `Started (pid ${pid}).` : `Runs already (pid ${pid}).`)
    return 0
  },
}
