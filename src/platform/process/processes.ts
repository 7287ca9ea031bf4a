import { execFileSync } from 'node:child_process'
import type { Processes } from '../../kernel/ports/ports.ts'
import { cheapStartedAt, isAliveBy, isPid } from './proc-stat.ts'

/** The path on every Unix; on Linux /proc is used instead. */
export const PS = '/bin/ps'

function psStartedAt(pid: number): string | undefined {
  try {
    const answer = execFileSync(PS, ['-o', 'lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', TZ: 'UTC' },
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

export const systemProcesses: Processes = { startedAt, isAlive: (ref) => isAliveBy(ref, startedAt) }
