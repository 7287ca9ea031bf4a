import { linkSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import { z } from 'zod'
import type { Processes } from '../../kernel/ports/ports.ts'
import { createFileOnce } from '../files/create-once.ts'
import { errnoOf } from '../base/errno.ts'

const Holder = z.object({ pid: z.number(), startedAt: z.string().optional() })

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

function isHeld(text: string, processes: Processes): boolean {
  try {
    return processes.isAlive(Holder.parse(JSON.parse(text)))
  } catch {
    // Damaged, or cut short where there are no hard links: nobody can be said to hold it.
    return false
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown
  }
}

/** Takes a dead holder's lock away, and only that one: a fresh one that took its place meanwhile is put back. */
function removeStale(path: string, seen: string, aside: string): void {
  try {
    renameSync(path, aside)
    if (readText(aside) !== seen) linkSync(aside, path)
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT' && errnoOf(thrown) !== 'EEXIST') throw thrown
  }
  removeIfThere(aside)
}

export interface LockOptions {
  readonly pid: number
  readonly processes: Processes
}

/** Held by one living process at a time; what a killed one left is no hindrance. Undefined while another holds it. The folder has to be there. */
export function takeProcessLock(path: string, { pid, processes }: LockOptions): Disposable | undefined {
  const startedAt = processes.startedAt(pid)
  const own = JSON.stringify({ pid, ...(startedAt !== undefined && { startedAt }) })
  for (let tries = 0; tries < 3; tries += 1) {
    if (createFileOnce(path, own))
      return {
        [Symbol.dispose]() {
          if (readText(path) === own) unlinkSync(path)
        },
      }
    const seen = readText(path)
    if (seen === undefined) continue
    if (isHeld(seen, processes)) return undefined
    removeStale(path, seen, `${path}.${pid}.stale`)
  }
  return undefined
}
