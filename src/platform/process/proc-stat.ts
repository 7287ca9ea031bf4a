import { readFileSync } from 'node:fs'
import type { ProcessRef } from '../../kernel/event.ts'
import { errnoOf } from '../base/errno.ts'

export interface ProcStat {
  readonly state: string
  readonly startTicks: string
  /** Processor time used so far, in ticks. */
  readonly cpuTicks: number
}

/** Fields of `/proc/<pid>/stat` behind the command name, which may itself hold spaces and parentheses. */
export function parseProcStat(text: string): ProcStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks, cpuTicks }
}

export function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= 0x7fff_ffff
}

/** Undefined where there is no such process, or no /proc. */
export function procStat(pid: number): ProcStat | undefined {
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

/** Start time without starting another program: what a hook can afford. Linux only. */
export function cheapStartedAt(pid: number): string | undefined {
  if (process.platform !== 'linux' || !isPid(pid)) return undefined
  const stat = procStat(pid)
  return stat === undefined ? undefined : `${bootId()}:${stat.startTicks}`
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

/** As `Processes.isAlive`, comparing start times by `startedAt`, or not where that cannot tell. */
export function isAliveBy(ref: ProcessRef, startedAt: (pid: number) => string | undefined): boolean {
  if (!isPid(ref.pid) || !exists(ref.pid)) return false
  // A zombie has ended; only its parent has not looked yet.
  if (process.platform === 'linux' && procStat(ref.pid)?.state === 'Z') return false
  if (ref.startedAt === undefined) return true
  const now = startedAt(ref.pid)
  return now === undefined || now === ref.startedAt
}

export function isAliveCheaply(ref: ProcessRef): boolean {
  return isAliveBy(ref, cheapStartedAt)
}
