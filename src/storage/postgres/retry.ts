import { setTimeout } from 'node:timers/promises'
import { faultOf, translate } from './errors.ts'

/** Doubling from 10 ms, never above 250 ms so that writers are back soon after the server is; about five seconds in all. */
const ATTEMPTS = 24
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

export interface RetryOptions {
  /** False when running it a second time, after we lost sight of the first, would count something twice. */
  readonly isRepeatable: boolean
  readonly pause?: (ms: number) => Promise<unknown>
}

export async function withRetry<Result>(run: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const pause = options.pause ?? setTimeout
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (thrown) {
      const fault = faultOf(thrown)
      const mayRepeat = fault === 'rolled-back' || fault === 'unreachable' || (fault === 'lost' && options.isRepeatable)
      if (!mayRepeat || attempt === ATTEMPTS) throw translate(thrown)
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)))
    }
  }
}
