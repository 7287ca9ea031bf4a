import type { Clock } from '../../kernel/ports/ports.ts'

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonicMs: () => performance.now(),
}

/** Blocks the whole process: for short waits in work that must not be interleaved. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Wall time in milliseconds, to compare with file times. */
export function wallMs(): number {
  return Date.now()
}
