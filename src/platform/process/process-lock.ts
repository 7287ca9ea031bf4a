import { linkSync, renameSync, unlinkSync } from 'node:fs'
import * as z from 'zod'
import type { Processes } from '../../kernel/ports/ports.ts'
import { createFileOnce } from '../files/atomic-file.ts'
import { getErrorCode } from '../base/errno.ts'
import { readIfPresent } from '../files/read-if-present.ts'

const Holder = z.object({ pid: z.number(), startedAt: z.string().optional() })

function isHeld(text: string, processes: Processes): boolean {
  try {
    return processes.isAlive(Holder.parse(JSON.parse(text)))
  } catch {
    // Damaged, or truncated on a file system without hard links: no valid holder.
    return false
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
  }
}

/** Removes the lock of a dead process, and only that one: a new lock that replaced it meanwhile is restored. */
function removeStale(path: string, seen: string, aside: string): void {
  try {
    renameSync(path, aside)
    if (readIfPresent(aside) !== seen) linkSync(aside, path)
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'ENOENT' && getErrorCode(thrown) !== 'EEXIST') throw thrown
  }
  removeIfThere(aside)
}

export interface LockOptions {
  readonly pid: number
  readonly processes: Processes
}

/** Held by one live process at a time; the lock of a killed process is replaced. Undefined while another process holds it. The folder must exist. */
export function takeProcessLock(path: string, { pid, processes }: LockOptions): Disposable | undefined {
  const startedAt = processes.startedAt(pid)
  const own = JSON.stringify({ pid, ...(startedAt !== undefined && { startedAt }) })
  for (let tries = 0; tries < 3; tries += 1) {
    if (createFileOnce(path, own))
      return {
        [Symbol.dispose]() {
          if (readIfPresent(path) === own) unlinkSync(path)
        },
      }
    const seen = readIfPresent(path)
    if (seen === undefined) continue
    if (isHeld(seen, processes)) return undefined
    removeStale(path, seen, `${path}.${pid}.stale`)
  }
  return undefined
}
