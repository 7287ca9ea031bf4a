import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { within } from './timers.ts'
import { statSync } from 'node:fs'

function readStamp(file: string): string | undefined {
  const facts = statSync(file, { throwIfNoEntry: false })
  return facts === undefined ? undefined : `${facts.mtimeMs} ${facts.size}`
}

/** Returns a check whether `file` is unchanged since this call: an upgrade replaces it, an uninstall removes it. */
export function watchProgram(file: string): () => boolean {
  const before = readStamp(file)
  return () => readStamp(file) === before
}

export interface IdleWatch {
  /** Records a use of the daemon. */
  touch(): void
  /** Time since the last use. */
  quietMs(): number
  /** Whether the daemon was unused for the whole period. */
  isOver(): Promise<boolean>
}

const BUSY_PATIENCE_MS = 2_000

/** `isBusy` looks for live sessions and open pages. While it does not answer, the daemon stays. */
export function createIdleWatch(clock: Clock, idleExitMs: number, isBusy: () => Promise<boolean>): IdleWatch {
  let usedMs = clock.monotonicMs()
  return {
    quietMs: () => clock.monotonicMs() - usedMs,
    touch() {
      usedMs = clock.monotonicMs()
    },
    async isOver() {
      if (clock.monotonicMs() - usedMs < idleExitMs) return false
      const busy = await within(BUSY_PATIENCE_MS, isBusy())
      if (!busy.isDone || busy.value) usedMs = clock.monotonicMs()
      return clock.monotonicMs() - usedMs >= idleExitMs
    },
  }
}

export interface ShutdownStep {
  readonly name: string
  readonly run: () => unknown
}

/**
 * Runs the steps in order, within `limitMs` together. A step that is late or fails is logged, and the next ones still run.
 */
export async function shutDown(steps: readonly ShutdownStep[], limitMs: number, log: Log): Promise<void> {
  const untilMs = performance.now() + limitMs
  for (const { name, run } of steps) {
    try {
      const done = await within(untilMs - performance.now(), Promise.resolve(run()))
      if (!done.isDone) log.error('shutdown step is late', { step: name })
    } catch (error) {
      log.error('shutdown step failed', { step: name, error: getErrorMessage(error) })
    }
  }
}
