import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../kernel/ports/ports.ts'
import { errnoOf } from '../../../platform/base/errno.ts'
import type { Belongings } from './run-processes.ts'
import { findProcess, type ProcessRow } from './process-table.ts'

export interface EndOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Between asking and killing. 0 kills at once. */
  readonly graceMs: number
  /** Killing goes on this long while more keep coming; 5 seconds unless told. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 20

function signal(row: ProcessRow, name: NodeJS.Signals): void {
  // Looked at again right before: the number may be somebody else's by now.
  if (findProcess(row.pid)?.startedAt !== row.startedAt) return
  try {
    process.kill(row.pid, name)
  } catch (thrown) {
    // Gone meanwhile, or of another user: what is left is reported.
    if (errnoOf(thrown) !== 'ESRCH' && errnoOf(thrown) !== 'EPERM') throw thrown
  }
}

/** Ends everything that belongs to the run: asks, waits, kills until nothing is found. Gives what would not go. */
export async function endProcesses(belongings: Belongings, options: EndOptions): Promise<readonly ProcessRow[]> {
  const { clock, graceMs } = options
  let left = belongings.look()
  if (left.length === 0) return []
  if (graceMs > 0) {
    const untilMs = clock.monotonicMs() + graceMs
    for (const row of left) signal(row, 'SIGTERM')
    while (left.length > 0 && clock.monotonicMs() < untilMs) {
      await sleep(PAUSE_MS)
      left = belongings.look()
    }
  }
  const untilMs = clock.monotonicMs() + (options.patienceMs ?? PATIENCE_MS)
  while (left.length > 0 && clock.monotonicMs() < untilMs) {
    for (const row of left) signal(row, 'SIGKILL')
    await sleep(PAUSE_MS)
    left = belongings.look()
  }
  return left
}
