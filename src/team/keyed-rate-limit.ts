import type { Clock } from '../kernel/ports/ports.ts'
import { type Rate, takeToken, type TokenTaken } from '../kernel/structures/token-bucket.ts'

export interface KeyedRateLimit {
  /** Seconds to wait before trying again; undefined when the request may pass. */
  take(key: string): number | undefined
}

/** A bucket for each key. Buckets that are full again are forgotten, so that unused keys cost nothing. */
export function createKeyedRateLimit(clock: Pick<Clock, 'monotonicMs'>, rate: Rate, maxKeys = 10_000): KeyedRateLimit {
  const buckets = new Map<string, TokenTaken['bucket']>()
  const fullAfterMs = (rate.burst / rate.perSecond) * 1_000

  function forgetFull(nowMs: number): void {
    for (const [key, { atMs }] of buckets) if (nowMs - atMs >= fullAfterMs) buckets.delete(key)
    // A client that uses ever new keys evicts the oldest ones, which are then full again.
    for (const key of buckets.keys()) {
      if (buckets.size < maxKeys) return
      buckets.delete(key)
    }
  }

  return {
    take(key) {
      const nowMs = clock.monotonicMs()
      if (buckets.size >= maxKeys && !buckets.has(key)) forgetFull(nowMs)
      const { bucket, retryAfter } = takeToken(buckets.get(key), rate, nowMs)
      buckets.set(key, bucket)
      return retryAfter
    },
  }
}
