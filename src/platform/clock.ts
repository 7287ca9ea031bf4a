import type { Clock } from '../core/ports.ts'

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonicMs: () => performance.now(),
}

/** Wall time in milliseconds, to compare with a file's. */
export function wallMs(): number {
  return Date.now()
}
