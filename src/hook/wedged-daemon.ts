import { findTargetProcess } from '../platform/launcher-file.ts'
import type { Home } from '../platform/base/home.ts'
import { type ProcStat, procStat } from '../platform/process/proc-stat.ts'

/** A daemon that neither answers nor computes for this long is stopped or deadlocked, and will not come back by itself. */
const IDLE_MS = 30_000
/** One that computes may be at a large piece of work; nothing that it does takes as long. */
const BUSY_MS = 300_000

export interface WedgeWatch {
  /** To be asked while the daemon does not answer: its pid once it has not for too long. */
  findWedged(): number | undefined
}

export interface WedgeWatchOptions {
  readonly home: Pick<Home, 'launcherFile'>
  readonly nowMs: () => number
  readonly statOf?: (pid: number) => ProcStat | undefined
}

/**
 * Names a daemon only where pid and start time are those that it wrote down itself, so that a process that got its pid later is safe.
 * Without /proc it never names any.
 */
export function createWedgeWatch({ home, nowMs, statOf = procStat }: WedgeWatchOptions): WedgeWatch {
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
