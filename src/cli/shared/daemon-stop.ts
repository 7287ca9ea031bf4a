import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { systemClock } from '../../platform/base/clock.ts'
import type { Home } from '../../platform/base/home.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { findHealth, type Health, requestShutdown } from './daemon-access.ts'

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

/** Resolves once its process is gone, with what it was; undefined if it was not running. */
export async function stopDaemon(home: Home): Promise<Health | undefined> {
  const health = await findHealth(home)
  if (health === undefined) return undefined
  const gone = waitUntilGone(health)
  await requestShutdown(home)
  if (await gone) return health
  throw new HoldfastError('daemon-unavailable', `The daemon (pid ${health.pid}) is still stopping.`, {
    hint: `Its log is ${home.daemonLog}. \`kill ${health.pid}\` ends it at once without losing recorded events.`,
  })
}
