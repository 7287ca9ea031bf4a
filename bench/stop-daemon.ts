import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../src/client/http.ts'
import type { Home } from '../src/platform/base/home.ts'
import { systemProcesses } from '../src/platform/process/processes.ts'
import { ROUTES } from '../src/api/route-table.ts'

/** Asks the daemon of this home to end, and waits until its process is gone. */
export async function stopDaemon(home: Home): Promise<void> {
  const { pid } = JSON.parse(readFileSync(home.endpointFile, 'utf8'))
  const startedAt = systemProcesses.startedAt(pid)
  const { method, path } = ROUTES.shutdown
  const headers = { 'content-type': 'application/json' }
  const message = { socketPath: home.socket, method, path, headers, body: '{}' }
  await exchange({ ...message, deadlineMs: 10_000, maxReplyBytes: 10_000 })
  while (systemProcesses.isAlive({ pid, ...(startedAt === undefined ? {} : { startedAt }) })) await sleep(25)
}
