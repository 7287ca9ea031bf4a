import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { within } from '../process/within.ts'

export type StoreState = 'ok' | 'read-only' | 'slow' | 'unavailable'

const FRESH_MS = 1_000
const PATIENCE_MS = 150
const GIVEN_UP_MS = 5_000

export interface StoreHealth {
  /** Asks the store unless it answered a moment ago, and waits for it only briefly. */
  read(): Promise<StoreState>
  /** Follows a write to its end: a store that answers questions and keeps nothing is not well. */
  watch<Value>(write: Promise<Value>): Promise<Value>
}

/** At most one question is out at a time, so a store that hangs is not asked again and again. */
export function createStoreHealth(ask: () => Promise<unknown>, clock: Clock, log: Log): StoreHealth {
  let answeredMs = -Infinity
  let last: 'ok' | 'unavailable' = 'ok'
  let hasRefusedWrite = false
  let pending: { readonly sinceMs: number; readonly answer: Promise<void> } | undefined

  function question(): { readonly sinceMs: number; readonly answer: Promise<void> } {
    if (pending !== undefined) return pending
    const answer = ask()
      .then(
        () => {
          last = 'ok'
        },
        (error: unknown) => {
          last = 'unavailable'
          log.warn('store does not answer', { error: messageOf(error) })
        },
      )
      .finally(() => {
        answeredMs = clock.monotonicMs()
        pending = undefined
      })
    pending = { sinceMs: clock.monotonicMs(), answer }
    return pending
  }

  function answered(): StoreState {
    return last === 'ok' && hasRefusedWrite ? 'read-only' : last
  }

  return {
    async read() {
      if (pending === undefined && clock.monotonicMs() - answeredMs < FRESH_MS) return answered()
      const { sinceMs, answer } = question()
      if ((await within(PATIENCE_MS, answer)).isDone) return answered()
      return clock.monotonicMs() - sinceMs >= GIVEN_UP_MS ? 'unavailable' : 'slow'
    },

    async watch(write) {
      try {
        const value = await write
        hasRefusedWrite = false
        return value
      } catch (error) {
        // An event that is refused for what it says is not the store's failure.
        if (error instanceof HoldfastError && error.code.startsWith('store-')) hasRefusedWrite = true
        throw error
      }
    },
  }
}
