// Retention. How long: the defaults of `continuity` in src/kernel/config.ts. Which rows: src/storage/queries/retention.ts
// (events, checkpoints), injections.ts and locations.ts beside it. When, and how many at once: here.
import { getErrorMessage } from '../kernel/errors.ts'
import type { RetentionPolicy } from '../kernel/ports/ports.ts'
import { afterPruning, isClockTrusted, observeClock } from './clock-trust.ts'
import type { ClockTrust, ContinuityPorts } from '../kernel/ports/runtime.ts'

const CHECKPOINT_SLICE_ROWS = 500
/** Events are many and large, and a hook waits for a whole slice, so slices are small. */
const EVENT_SLICE_ROWS = 100
/** Maximum share that is deleted at once; the rest must still be past the retention an hour later. */
const SHARE_PER_LOOK = 0.1
/** A small store is pruned at once. */
const MIN_ROWS_PER_LOOK = 2_000
/** How long a forgotten memory can be restored. */
const DRAFT_DAYS = 7
const SETTLE_EVERY_MS = 3_600_000
/** Nothing is deleted by age this soon after a start, when a wrong clock is most likely. */
const AFTER_START_MS = 3_600_000
/** Daemons that never run for an hour must prune too: after this much more observation than needed. */
const STARVED_MS = 12 * 3_600_000
/** A killed daemon loses at most this much observation. */
const SAVE_EVERY_MS = 300_000
/** With this date nothing is past the retention: only the limit per session is applied. */
const BEFORE_EVERYTHING = new Date(0).toISOString()

export interface Pruner {
  /** Observes the clock, and deletes what is past the retention if the clock is trusted. The only deletion by age. */
  look(): Promise<void>
  /** Records the observation since the last look. Deletes nothing. */
  noteClock(): void
}

/** `settleFinished` takes the missing last checkpoints before events are deleted. */
export function createPruner(
  ports: ContinuityPorts,
  settleFinished: () => Promise<void>,
  pruneArchive: (now: string) => Promise<void> = async () => undefined,
): Pruner {
  let trust: ClockTrust | undefined
  let lookedMs: number | undefined
  let savedMs = -Infinity
  let settledMs = -Infinity
  let startedMs: number | undefined

  function save(nowMs: number): void {
    if (trust === undefined) return
    savedMs = nowMs
    try {
      ports.clockTrust.write(trust)
    } catch (error) {
      ports.log.warn('trust in the clock not recorded', { error: getErrorMessage(error) })
    }
  }

  function isOther(before: ClockTrust | undefined, after: ClockTrust): boolean {
    return before?.neededMs !== after.neededMs || after.observedMs < before.observedMs
  }

  function observe(): ClockTrust {
    const monotonicMs = ports.clock.monotonicMs()
    const before = lookedMs === undefined ? ports.clockTrust.read() : trust
    const after = observeClock(before, {
      wallMs: Date.parse(ports.clock.now()),
      ...(lookedMs !== undefined && { elapsedMs: monotonicMs - lookedMs }),
    })
    lookedMs = monotonicMs
    trust = after
    const isDoubted = before === undefined || after.neededMs > before.neededMs
    if (isDoubted && !isClockTrusted(after))
      ports.log.info('clock is not trusted yet, nothing is deleted by age', {
        neededHours: Math.round((after.neededMs - after.observedMs) / 360_000) / 10,
      })
    if (isOther(before, after) || monotonicMs - savedMs >= SAVE_EVERY_MS) save(monotonicMs)
    return after
  }

  async function pruneRows<Policy extends RetentionPolicy>(
    what: string,
    policy: Policy,
    { maxRows, pruneSlice }: { maxRows: number; pruneSlice: (policy: Policy) => Promise<number> },
  ): Promise<void> {
    let pruned = 0
    while (pruned < maxRows) {
      const sliceRows = Math.min(policy.sliceRows, maxRows - pruned)
      const count = await pruneSlice({ ...policy, sliceRows })
      pruned += count
      if (count < sliceRows) break
    }
    if (pruned > 0) ports.log.info(`${what} pruned`, { count: pruned, isAll: pruned < maxRows })
  }

  async function pruneCheckpoints(now: string, maxRows: number): Promise<void> {
    const { continuity } = await ports.configFor(undefined)
    const policy = {
      now,
      retentionDays: continuity.retentionDays,
      maxPerSession: continuity.maxCheckpointsPerSession,
      sliceRows: CHECKPOINT_SLICE_ROWS,
    }
    await pruneRows('checkpoints', policy, { maxRows, pruneSlice: (slice) => ports.store.pruneCheckpoints(slice) })
  }

  async function pruneByAge(now: string): Promise<void> {
    const { continuity } = await ports.configFor(undefined)
    const { events, checkpoints } = await ports.store.counts()
    const share = (rows: number) => Math.max(MIN_ROWS_PER_LOOK, Math.ceil(rows * SHARE_PER_LOOK))
    const policy = { now, retentionDays: continuity.eventRetentionDays, sliceRows: EVENT_SLICE_ROWS }
    const maxRows = share(events)
    await pruneCheckpoints(now, share(checkpoints))
    await pruneRows('events', policy, { maxRows, pruneSlice: (slice) => ports.store.pruneEvents(slice) })
    await pruneRows('ledgers', policy, { maxRows, pruneSlice: (slice) => ports.store.pruneLedgers(slice) })
    await pruneArchive(now)
    await ports.store.pruneDrafts(new Date(Date.parse(now) - DRAFT_DAYS * 86_400_000).toISOString())
    await pruneRows('locations', policy, { maxRows, pruneSlice: (slice) => ports.store.pruneLocations(slice) })
  }

  /** Independent of the clock: missing last checkpoints, and the limit per session. */
  async function settle(nowMs: number): Promise<void> {
    if (nowMs - settledMs < SETTLE_EVERY_MS) return
    settledMs = nowMs
    await settleFinished()
    await pruneCheckpoints(BEFORE_EVERYTHING, Infinity)
  }

  return {
    noteClock() {
      // The first look has nothing to compare the clock with.
      if (lookedMs === undefined) return
      observe()
      save(ports.clock.monotonicMs())
    },
    async look() {
      const seen = observe()
      const nowMs = ports.clock.monotonicMs()
      startedMs ??= nowMs
      const isEarly = nowMs - startedMs < AFTER_START_MS && seen.observedMs < seen.neededMs + STARVED_MS
      if (!isClockTrusted(seen) || isEarly) return settle(nowMs)
      trust = afterPruning(seen)
      save(nowMs)
      settledMs = nowMs
      await settleFinished()
      await pruneByAge(new Date(seen.seenAtMs).toISOString())
    },
  }
}
