import type { Clock } from '../../kernel/ports.ts'
import type { PrincipalName } from './principal.ts'

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Hooks and our own clients are many and short (two hundred sessions at once); a token or a browser is one program. */
export const RATES: Readonly<Record<PrincipalName, Rate>> = {
  owner: { perSecond: 4_000, burst: 4_000 },
  hook: { perSecond: 4_000, burst: 4_000 },
  api: { perSecond: 500, burst: 1_000 },
  browser: { perSecond: 100, burst: 300 },
  // Only those who bring a good code, which is 256 random bits: what others try does not count against it.
  login: { perSecond: 10, burst: 20 },
  anonymous: { perSecond: 50, burst: 100 },
}

export interface RateLimit {
  /** Seconds to wait before trying again; undefined when the request may pass. */
  take(principal: PrincipalName): number | undefined
}

export function createRateLimit(clock: Clock, rates: Readonly<Record<PrincipalName, Rate>> = RATES): RateLimit {
  const buckets = new Map<PrincipalName, { tokens: number; atMs: number }>()
  return {
    take(principal) {
      const { perSecond, burst } = rates[principal]
      const nowMs = clock.monotonicMs()
      const bucket = buckets.get(principal) ?? { tokens: burst, atMs: nowMs }
      const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond)
      const isAllowed = tokens >= 1
      buckets.set(principal, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
      return isAllowed ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond))
    },
  }
}
