import type { ClockTrust } from '../kernel/ports/runtime.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Tolerance between two readings: clocks are corrected a little all the time. */
const SLACK_MS = 60_000
/** A running daemon looks every few seconds. A longer pause means that the machine slept. */
const MAX_CREDIT_MS = HOUR_MS / 4
const MIN_TRIAL_MS = HOUR_MS
const MAX_TRIAL_MS = 400 * HOUR_MS
/** Upper bound. The store grows only while the daemon runs, so this bounds the disk that is used. */
const MAX_NEEDED_MS = 2 * MAX_TRIAL_MS
/** For an unknown clock: a new home, or one without a record. */
const FIRST_TRIAL_MS = 100 * HOUR_MS
/** Nights, weekends and short holidays, which must not restart the trial each time. */
const ORDINARY_GAP_MS = 10 * DAY_MS

export interface ClockLook {
  readonly wallMs: number
  /** Monotonic time since the previous look. Absent at the first look after a start. */
  readonly elapsedMs?: number
}

/** One hour for each unobserved day, at least one. */
function trialMs(gapMs: number): number {
  return Math.min(MAX_TRIAL_MS, Math.max(MIN_TRIAL_MS, (gapMs / DAY_MS) * HOUR_MS))
}

/** A long gap gets its own full trial; ordinary ones share theirs. */
function neededAfter(gapMs: number, { observedMs, neededMs }: ClockTrust): number {
  const trial = trialMs(gapMs)
  const needed = gapMs > ORDINARY_GAP_MS ? observedMs + trial : trial
  return Math.min(MAX_NEEDED_MS, Math.max(neededMs, needed))
}

const unknown = (wallMs: number): ClockTrust => ({ seenAtMs: wallMs, observedMs: 0, neededMs: FIRST_TRIAL_MS })

function afterGap(before: ClockTrust, wallMs: number, gapMs: number): ClockTrust {
  const { trustedAtMs } = before
  if (trustedAtMs === undefined && gapMs > ORDINARY_GAP_MS) {
    // Another unknown clock gets a trial of its own; earlier observation counts, so that the trials end.
    const neededMs = Math.min(MAX_NEEDED_MS, before.observedMs + FIRST_TRIAL_MS)
    return { ...before, seenAtMs: wallMs, neededMs }
  }
  const fromTrustedMs = trustedAtMs === undefined ? Infinity : Math.abs(wallMs - trustedAtMs)
  // Nearer to the trusted time than to the last one: a wrong clock was corrected, and its observation does not count.
  if (fromTrustedMs < gapMs) return { ...before, seenAtMs: wallMs, observedMs: 0, neededMs: trialMs(fromTrustedMs) }
  return { ...before, seenAtMs: wallMs, neededMs: neededAfter(gapMs, before) }
}

export function observeClock(before: ClockTrust | undefined, { wallMs, elapsedMs }: ClockLook): ClockTrust {
  if (before === undefined) return unknown(wallMs)
  const gapMs = Math.abs(wallMs - before.seenAtMs - (elapsedMs ?? 0))
  if (gapMs > SLACK_MS) return afterGap(before, wallMs, gapMs)
  const credit = Math.min(MAX_CREDIT_MS, Math.max(0, elapsedMs ?? 0))
  return { ...before, seenAtMs: wallMs, observedMs: before.observedMs + credit }
}

/** Whether data may be deleted by age now. */
export function isClockTrusted({ observedMs, neededMs }: ClockTrust): boolean {
  return observedMs >= neededMs
}

/** After a deletion by age: the next one needs another hour of observation. */
export function afterPruning({ seenAtMs }: ClockTrust): ClockTrust {
  return { trustedAtMs: seenAtMs, seenAtMs, observedMs: 0, neededMs: MIN_TRIAL_MS }
}
