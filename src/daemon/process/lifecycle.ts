import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { within } from './within.ts'

export interface IdleWatch {
  /** Somebody used the daemon. */
  touch(): void
  /** How long ago that was. */
  quietMs(): number
  /** Whether nobody has needed the daemon for the whole period. */
  isOver(): Promise<boolean>
}

const BUSY_PATIENCE_MS = 2_000

/** `isBusy` looks for live sessions and open pages. While it cannot tell, the daemon stays. */
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
 * Runs the steps in order. Together they get `limitMs`; a step that is late or fails is left behind and logged,
 * and the ones after it still get their turn.
 */
export async function shutDown(steps: readonly ShutdownStep[], limitMs: number, log: Log): Promise<void> {
  const untilMs = performance.now() + limitMs
  for (const { name, run } of steps) {
    try {
      const done = await within(untilMs - performance.now(), Promise.resolve(run()))
      if (!done.isDone) log.error('shutdown step is late', { step: name })
    } catch (error) {
      log.error('shutdown step failed', { step: name, error: messageOf(error) })
    }
  }
}
