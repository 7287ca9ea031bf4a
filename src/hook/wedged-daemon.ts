import { findTargetProcess } from '../platform/launcher-file.ts'
import type { Home } from '../platform/base/home.ts'
import { type ProcStat, procStat } from '../platform/process/proc-stat.ts'

/** A daemon that neither answers nor uses CPU time for this long is stopped or deadlocked. */
const IDLE_MS = 30_000
/** A daemon that uses CPU time may be busy; none of its work takes this long. */
const BUSY_MS = 300_000

export interface WedgeWatch {
  /** Call it while the daemon does not answer: returns its pid once that has lasted too long. */
  findWedged(): number | undefined
}

export interface WedgeWatchOptions {
  readonly home: Pick<Home, 'launcherFile'>
  readonly nowMs: () => number
  readonly readStat?: (pid: number) => ProcStat | undefined
}

/**
 * Returns a pid only if pid and start time are those that the daemon wrote, so that a later process with the same pid is safe.
 * Without /proc it never returns one.
 */
export function createWedgeWatch({ home, nowMs, readStat: statOf = procStat }: WedgeWatchOptions): WedgeWatch {
  let known:
    | { readonly pid: number; readonly sinceMs: number; readonly cpuTicks: number; readonly idleMs: number }
    | undefined
  return {
    findWedged() {
      const pid = findTargetProcess(home.launcherFile)?.pid
      const stat = pid === undefined ? undefined : statOf(pid)
      if (pid === undefined || stat === undefined) {
        known = undefined
        return undefined
      }
      const now = nowMs()
      if (known?.pid !== pid) known = { pid, sinceMs: now, cpuTicks: stat.cpuTicks, idleMs: now }
      else if (known.cpuTicks !== stat.cpuTicks) known = { ...known, cpuTicks: stat.cpuTicks, idleMs: now }
      return now - known.idleMs >= IDLE_MS || now - known.sinceMs >= BUSY_MS ? pid : undefined
    },
  }
}
