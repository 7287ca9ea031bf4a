import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { within } from '../process/timers.ts'

export type StoreState = 'ok' | 'read-only' | 'slow' | 'unavailable'

const FRESH_MS = 1_000
const PATIENCE_MS = 150
const GIVEN_UP_MS = 5_000

export interface StoreHealth {
  /** Queries the store unless it answered a moment ago, and waits only briefly. */
  read(): Promise<StoreState>
  /** Observes a write: a store that answers queries and fails writes is not healthy. */
  watch<Value>(write: Promise<Value>): Promise<Value>
}

/** At most one query is pending at a time, so that a hung store does not collect queries. */
export function createStoreHealth(query: () => Promise<unknown>, clock: Clock, log: Log): StoreHealth {
  let answeredMs = -Infinity
  let last: 'ok' | 'unavailable' = 'ok'
  let hasRefusedWrite = false
  let pending: { readonly sinceMs: number; readonly answer: Promise<void> } | undefined

  function startQuery(): { readonly sinceMs: number; readonly answer: Promise<void> } {
    if (pending !== undefined) return pending
    const answer = query()
      .then(
        () => {
          last = 'ok'
        },
        (error: unknown) => {
          last = 'unavailable'
          log.warn('store does not answer', { error: getErrorMessage(error) })
        },
      )
      .finally(() => {
        answeredMs = clock.monotonicMs()
        pending = undefined
      })
    pending = { sinceMs: clock.monotonicMs(), answer }
    return pending
  }

  function getState(): StoreState {
    return last === 'ok' && hasRefusedWrite ? 'read-only' : last
  }

  return {
    async read() {
      if (pending === undefined && clock.monotonicMs() - answeredMs < FRESH_MS) return getState()
      const { sinceMs, answer } = startQuery()
      if ((await within(PATIENCE_MS, answer)).isDone) return getState()
      return clock.monotonicMs() - sinceMs >= GIVEN_UP_MS ? 'unavailable' : 'slow'
    },

    async watch(write) {
      try {
        const value = await write
        hasRefusedWrite = false
        return value
      } catch (error) {
        // An event that is refused for its content is not a failure of the store.
        if (error instanceof HoldfastError && error.code.startsWith('store-')) hasRefusedWrite = true
        throw error
      }
    },
  }
}
