import type { ClockTrust } from '../kernel/ports/runtime.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Two readings agree that differ by no more than this from what passed between them: clocks are corrected a little all the time. */
const SLACK_MS = 60_000
/** Between two looks of a running daemon lie seconds. A longer pause means that the machine slept, which is not running. */
const MAX_CREDIT_MS = HOUR_MS / 4
const MIN_TRIAL_MS = HOUR_MS
const MAX_TRIAL_MS = 400 * HOUR_MS
/** However often the daemon is away for long: the store grows only while it runs, so this bounds the disk that is used. */
const MAX_NEEDED_MS = 2 * MAX_TRIAL_MS
/** A clock of which nothing is known yet: a new home, or one from before the record was kept. */
const FIRST_TRIAL_MS = 100 * HOUR_MS
/** Nights, weekends and short holidays. Who comes back after these again and again must not begin from nothing each time. */
const ORDINARY_GAP_MS = 10 * DAY_MS

export interface ClockLook {
  readonly wallMs: number
  /** Monotonic time since the look before this one. Absent at the first look after a start: nobody was watching. */
  readonly elapsedMs?: number
}

/** One hour for each day that nobody saw pass, at least one. */
function trialMs(gapMs: number): number {
  return Math.min(MAX_TRIAL_MS, Math.max(MIN_TRIAL_MS, (gapMs / DAY_MS) * HOUR_MS))
}

/** A gap beyond the ordinary gets its own full trial; ordinary ones share theirs. */
function neededAfter(gapMs: number, { observedMs, neededMs }: ClockTrust): number {
  const trial = trialMs(gapMs)
  const needed = gapMs > ORDINARY_GAP_MS ? observedMs + trial : trial
  return Math.min(MAX_NEEDED_MS, Math.max(neededMs, needed))
}

const unknown = (wallMs: number): ClockTrust => ({ seenAtMs: wallMs, observedMs: 0, neededMs: FIRST_TRIAL_MS })

function afterGap(before: ClockTrust, wallMs: number, gapMs: number): ClockTrust {
  const { trustedAtMs } = before
  if (trustedAtMs === undefined && gapMs > ORDINARY_GAP_MS) {
    // Another unknown clock, and a trial of its own; what was watched stays, so that the trials end.
    const neededMs = Math.min(MAX_NEEDED_MS, before.observedMs + FIRST_TRIAL_MS)
    return { ...before, seenAtMs: wallMs, neededMs }
  }
  const fromTrustedMs = trustedAtMs === undefined ? Infinity : Math.abs(wallMs - trustedAtMs)
  // Nearer to what was believed than to what was seen last: a wrong clock was set right, and what was seen of it does not count.
  if (fromTrustedMs < gapMs) return { ...before, seenAtMs: wallMs, observedMs: 0, neededMs: trialMs(fromTrustedMs) }
  return { ...before, seenAtMs: wallMs, neededMs: neededAfter(gapMs, before) }
}

/** What is known of the clock after one more look at it. */
export function observeClock(before: ClockTrust | undefined, { wallMs, elapsedMs }: ClockLook): ClockTrust {
  if (before === undefined) return unknown(wallMs)
  const gapMs = Math.abs(wallMs - before.seenAtMs - (elapsedMs ?? 0))
  if (gapMs > SLACK_MS) return afterGap(before, wallMs, gapMs)
  const credit = Math.min(MAX_CREDIT_MS, Math.max(0, elapsedMs ?? 0))
  return { ...before, seenAtMs: wallMs, observedMs: before.observedMs + credit }
}

/** Whether what is past its days by this clock may be deleted now. */
export function isClockTrusted({ observedMs, neededMs }: ClockTrust): boolean {
  return observedMs >= neededMs
}

/** After a deletion by age: the next one needs another hour of watching. */
export function afterPruning({ seenAtMs }: ClockTrust): ClockTrust {
  return { trustedAtMs: seenAtMs, seenAtMs, observedMs: 0, neededMs: MIN_TRIAL_MS }
}
