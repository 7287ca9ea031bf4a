import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { findHealth } from '../../shared/daemon-access.ts'
import { count, duration, printJson, printLine, table } from '../../shared/output.ts'

export const daemonStatusCommand: CliCommand = {
  name: 'daemon status',
  summary: 'whether it runs, and how it is; never starts it',
  configure(command) {
    command.addHelpText('after', '\nExit code: 0 when it runs and is well, 1 otherwise.')
  },
  async run({ options, context: { home, io } }) {
    const health = await findHealth(home)
    const isWell = health?.status === 'ok'
    if (isSet(options, 'json')) {
      printJson(io, { isRunning: health !== undefined, ...health })
    } else if (health === undefined) {
      printLine(io, 'The daemon does not run. Hooks and commands start it when they need it.')
    } else {
      io.out(
        table([
          ['status', health.status],
          ['pid', String(health.pid)],
          ['version', health.version],
          ['up', duration(health.uptimeMs)],
          ['store', health.store],
          ['live', count(health.liveSessions, 'session')],
          ['spool', `${count(health.spoolBacklog, 'event')} waiting`],
        ]),
      )
    }
    return isWell ? 0 : 1
  },
}
