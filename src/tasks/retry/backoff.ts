export interface BackoffPolicy {
  readonly baseMs: number
  readonly maxMs: number
}

/**
 * How long to wait before try `attempt` + 1: doubling from the base up to the cap, the upper half of it left to chance so
 * that many who failed together do not come back together. `random` is from 0 up to 1.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: BackoffPolicy, random: number): number {
  const doublings = Math.min(Math.max(Math.floor(attempt) - 1, 0), 30)
  const full = Math.min(baseMs * 2 ** doublings, maxMs)
  return Math.round(full / 2 + (full / 2) * Math.min(Math.max(random, 0), 1))
}
