import { readFileSync } from 'node:fs'
import type { ProcessRef } from '../../kernel/event.ts'
import { getErrorCode } from '../base/errno.ts'

export interface ProcStat {
  readonly state: string
  readonly startTicks: string
  /** Processor time used so far, in ticks. */
  readonly cpuTicks: number
}

/** Parses `/proc/<pid>/stat` after the command name, which may itself hold spaces and parentheses. */
export function parseProcStat(text: string): ProcStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  const cpuTicks = Number(fields[11]) + Number(fields[12])
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks, cpuTicks }
}

export function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= 0x7fff_ffff
}

/** Undefined when there is no such process, or no /proc. */
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

/** Start time without running another program, cheap enough for a hook. Linux only. */
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
    // EPERM: a process of another user.
    return getErrorCode(thrown) === 'EPERM'
  }
}

/** Like `Processes.isAlive`, comparing start times by `startedAt` where that is known. */
export function isAliveBy(ref: ProcessRef, startedAt: (pid: number) => string | undefined): boolean {
  if (!isPid(ref.pid) || !exists(ref.pid)) return false
  // A zombie has ended; its parent has not reaped it yet.
  if (process.platform === 'linux' && procStat(ref.pid)?.state === 'Z') return false
  if (ref.startedAt === undefined) return true
  const now = startedAt(ref.pid)
  return now === undefined || now === ref.startedAt
}

export function isAliveCheaply(ref: ProcessRef): boolean {
  return isAliveBy(ref, cheapStartedAt)
}
