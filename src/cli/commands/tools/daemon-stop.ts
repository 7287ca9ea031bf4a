import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { systemProcesses } from '../../../platform/process/processes.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { type Health, findHealth, requestShutdown } from '../../shared/daemon-access.ts'
import { printJson, printLine } from '../../shared/output.ts'

const PATIENCE_MS = 10_000
const POLL_MS = 25

async function waitUntilGone({ pid }: Health): Promise<boolean> {
  const startedAt = systemProcesses.startedAt(pid)
  const process = { pid, ...(startedAt !== undefined && { startedAt }) }
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  while (systemProcesses.isAlive(process)) {
    if (systemClock.monotonicMs() > deadlineMs) return false
    await sleep(POLL_MS)
  }
  return true
}

export const daemonStopCommand: CliCommand = {
  name: 'daemon stop',
  summary: 'stop it once everything accepted is kept',
  configure: () => undefined,
  async run({ options, context: { home, io } }) {
    const health = await findHealth(home)
    if (health !== undefined) {
      const gone = waitUntilGone(health)
      await requestShutdown(home)
      if (!(await gone)) {
        throw new HoldfastError('daemon-unavailable', `The daemon (pid ${health.pid}) is still stopping.`, {
          hint: `Its log is ${home.daemonLog}. \`kill ${health.pid}\` ends it at once; nothing acknowledged is lost.`,
        })
      }
    }
    if (isSet(options, 'json')) printJson(io, { wasRunning: health !== undefined, pid: health?.pid })
    else printLine(io, health === undefined ? 'It does not run.' : `Stopped (pid ${health.pid}).`)
    return 0
  },
}
