import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Processes } from '../core/ports.ts'
import { errnoOf } from './errno.ts'

interface ProcStat {
  readonly state: string
  readonly startTicks: string
}

/** Fields of `/proc/<pid>/stat` behind the command name, which may itself hold spaces and parentheses. */
export function parseProcStat(text: string): ProcStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks }
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= 0x7fff_ffff
}

function procStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

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

/** Start time without starting another program: what a hook can afford. Linux only. */
export function cheapStartedAt(pid: number): string | undefined {
  if (process.platform !== 'linux' || !isPid(pid)) return undefined
  const stat = procStat(pid)
  return stat === undefined ? undefined : `${bootId()}:${stat.startTicks}`
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
