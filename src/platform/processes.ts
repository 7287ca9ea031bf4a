import { execFileSync } from 'node:child_process'
import type { Processes } from '../core/ports.ts'
import { errnoOf } from './errno.ts'
import { cheapStartedAt, isPid, procStat } from './proc-stat.ts'

function psStartedAt(pid: number): string | undefined {
  try {
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
    const answer = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env,
      timeout: 1_000,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return answer.trim() || undefined
  } catch {
    return undefined
  }
}

function startedAt(pid: number): string | undefined {
  if (!isPid(pid)) return undefined
  if (process.platform === 'linux') return cheapStartedAt(pid)
  return process.platform === 'win32' ? undefined : psStartedAt(pid)
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    // Somebody else's process is still a process.
    return errnoOf(thrown) === 'EPERM'
  }
}

export const systemProcesses: Processes = {
  startedAt,
  isAlive(ref) {
    if (!isPid(ref.pid) || !exists(ref.pid)) return false
    // A zombie has ended; only its parent has not looked yet.
    if (process.platform === 'linux' && procStat(ref.pid)?.state === 'Z') return false
    if (ref.startedAt === undefined) return true
    const now = startedAt(ref.pid)
    return now === undefined || now === ref.startedAt
  },
}
