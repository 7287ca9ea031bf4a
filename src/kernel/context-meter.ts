/** Actions as a context fills up, each at its own share of the window. */
export const BANDS = ['buffer', 'autosave', 'fork'] as const
export type Band = (typeof BANDS)[number]

export interface ContextLimits {
  readonly windowTokens: number
  /** Percent of the window at which each band begins. */
  readonly percent: Readonly<Record<Band, number>>
  /** A refresh is due each time that many tokens were added since the last. */
  readonly refreshEveryTokens: number
}

/** What has fired since the context was last emptied. Plain JSON: stored with the session. */
export interface ContextMeter {
  readonly tokens: number
  readonly fired: readonly Band[]
  /** Tokens in the context at the last refresh, or when it was last emptied. */
  readonly refreshedAt: number
}

export const EMPTY_METER: ContextMeter = { tokens: 0, fired: [], refreshedAt: 0 }

export interface MeterUpdate {
  readonly meter: ContextMeter
  /** Crossed upwards by this very measurement, the lowest first. */
  readonly crossed: readonly Band[]
  /** Tokens added since the last refresh, if enough for the next. */
  readonly flushed?: number
}

/** A context that shrinks by this share was compacted or cleared. */
const EMPTIED_SHARE = 0.8

/**
 * The meter after one measurement. A band fires when it is crossed and not again until the context was
 * emptied below it. Independent of the clock: a late measurement counts like any other.
 */
export function updateMeter(before: ContextMeter, tokens: number, limits: ContextLimits): MeterUpdate {
  if (!Number.isFinite(tokens) || tokens < 0) return { meter: before, crossed: [] }
  const isEmptied = tokens < before.tokens * EMPTIED_SHARE
  const toTokens = (band: Band) => (limits.windowTokens * limits.percent[band]) / 100
  const armed = isEmptied ? before.fired.filter((band) => tokens >= toTokens(band)) : before.fired
  const crossed = BANDS.filter((band) => tokens >= toTokens(band) && !armed.includes(band))
  const since = isEmptied ? Math.min(before.refreshedAt, tokens) : before.refreshedAt
  const taken = tokens - since
  const isDue = taken >= limits.refreshEveryTokens
  return {
    meter: {
      tokens,
      fired: BANDS.filter((band) => armed.includes(band) || crossed.includes(band)),
      refreshedAt: isDue ? tokens : since,
    },
    crossed,
    ...(isDue && { flushed: taken }),
  }
}

/** Tokens of one message, as its harness reports them. `input` excludes what was read from or written to a cache. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** One answer of a model; the same id in two files is the same answer. */
export interface MessageUsage extends TokenCounts {
  readonly id: string
  readonly at: string
}
