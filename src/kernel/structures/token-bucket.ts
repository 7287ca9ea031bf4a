export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Undefined for a bucket that is full, because it was never used. */
type TokenBucket = { readonly tokens: number; readonly atMs: number } | undefined

export interface TokenTaken {
  readonly bucket: NonNullable<TokenBucket>
  /** Seconds to wait before trying again; undefined when the request may pass. */
  readonly retryAfter: number | undefined
}

/** Takes one token at `nowMs`, a monotonic time; tokens come back at the rate, up to its burst. */
export function takeToken(bucket: TokenBucket, { perSecond, burst }: Rate, nowMs: number): TokenTaken {
  const { tokens: left, atMs } = bucket ?? { tokens: burst, atMs: nowMs }
  const tokens = Math.min(burst, left + ((nowMs - atMs) / 1_000) * perSecond)
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, atMs: nowMs }, retryAfter: undefined }
  return { bucket: { tokens, atMs: nowMs }, retryAfter: Math.max(1, Math.ceil((1 - tokens) / perSecond)) }
}
