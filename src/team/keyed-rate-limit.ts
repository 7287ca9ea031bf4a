import type { Clock } from '../kernel/ports/ports.ts'

export interface KeyedRate {
  readonly perSecond: number
  readonly burst: number
}

export interface KeyedRateLimit {
  /** Seconds to wait before trying again; undefined when the request may pass. */
  take(key: string): number | undefined
}

/** A bucket for each key. Buckets that are full again are forgotten, so that unused keys cost nothing. */
export function createKeyedRateLimit(
  clock: Pick<Clock, 'monotonicMs'>,
  { perSecond, burst }: KeyedRate,
  maxKeys = 10_000,
): KeyedRateLimit {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  const fullAfterMs = (burst / perSecond) * 1_000

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
      const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs }
      const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond)
      const isAllowed = tokens >= 1
      buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
      return isAllowed ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond))
    },
  }
}
