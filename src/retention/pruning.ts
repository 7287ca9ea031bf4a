import { messageOf } from '../kernel/errors.ts'
import type { RetentionPolicy } from '../kernel/ports/ports.ts'
import { afterPruning, isClockTrusted, observeClock } from './clock-trust.ts'
import type { ClockTrust, ContinuityDeps } from '../kernel/ports/runtime.ts'

const CHECKPOINT_SLICE_ROWS = 500
/** Events are many and large: a hook that comes in meanwhile waits for one slice, so it is a small one. */
const EVENT_SLICE_ROWS = 100
/** The most that goes at one look, of what is there; what is left has to be past its days an hour later still. */
const SHARE_PER_LOOK = 0.1
/** A small store is done at one look. */
const MIN_ROWS_PER_LOOK = 2_000
const SETTLE_EVERY_MS = 3_600_000
/** Nothing is deleted by age this soon after a start, when a wrong clock is likeliest. */
const AFTER_START_MS = 3_600_000
/** Daemons that never live for an hour must not keep everything for ever: after this much watching beyond the need, one of them prunes. */
const STARVED_MS = 12 * 3_600_000
/** A daemon that is killed forgets this much of what it watched, and no more. */
const SAVE_EVERY_MS = 300_000
/** By this date nothing is past its days: what remains of a policy is its cap on the checkpoints of a session. */
const BEFORE_EVERYTHING = new Date(0).toISOString()

export interface Pruning {
  /** Looks at the clock, and deletes what is past its days if the clock is trusted. The only way that anything is deleted by age. */
  look(): Promise<void>
  /** Before an orderly stop: records what was watched since the last look. Deletes nothing. */
  noteClock(): void
}

/** `settleFinished` composes what a session that is over still owes, before its events go. */
export function createPruning(deps: ContinuityDeps, settleFinished: () => Promise<void>): Pruning {
  let trust: ClockTrust | undefined
  let lookedMs: number | undefined
  let savedMs = -Infinity
  let settledMs = -Infinity
  let startedMs: number | undefined

  function save(nowMs: number): void {
    if (trust === undefined) return
    savedMs = nowMs
    try {
      deps.clockTrust.write(trust)
    } catch (error) {
      deps.log.warn('trust in the clock not recorded', { error: messageOf(error) })
    }
  }

  function isOther(before: ClockTrust | undefined, after: ClockTrust): boolean {
    return before?.neededMs !== after.neededMs || after.observedMs < before.observedMs
  }

  function observe(): ClockTrust {
    const monotonicMs = deps.clock.monotonicMs()
    const before = lookedMs === undefined ? deps.clockTrust.read() : trust
    const after = observeClock(before, {
      wallMs: Date.parse(deps.clock.now()),
      ...(lookedMs !== undefined && { elapsedMs: monotonicMs - lookedMs }),
    })
    lookedMs = monotonicMs
    trust = after
    const isDoubted = before === undefined || after.neededMs > before.neededMs
    if (isDoubted && !isClockTrusted(after))
      deps.log.info('clock is not trusted yet, nothing is deleted by age', {
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
    if (pruned > 0) deps.log.info(`${what} pruned`, { count: pruned, isAll: pruned < maxRows })
  }

  async function pruneCheckpoints(now: string, maxRows: number): Promise<void> {
    const { continuity } = await deps.configFor(undefined)
    const policy = {
      now,
      retentionDays: continuity.retentionDays,
      maxPerSession: continuity.maxCheckpointsPerSession,
      sliceRows: CHECKPOINT_SLICE_ROWS,
    }
    await pruneRows('checkpoints', policy, { maxRows, pruneSlice: (slice) => deps.store.pruneCheckpoints(slice) })
  }

  async function pruneByAge(now: string): Promise<void> {
    const { continuity } = await deps.configFor(undefined)
    const { events, checkpoints } = await deps.store.counts()
    const share = (rows: number) => Math.max(MIN_ROWS_PER_LOOK, Math.ceil(rows * SHARE_PER_LOOK))
    const policy = { now, retentionDays: continuity.eventRetentionDays, sliceRows: EVENT_SLICE_ROWS }
    const maxRows = share(events)
    await pruneCheckpoints(now, share(checkpoints))
    await pruneRows('events', policy, { maxRows, pruneSlice: (slice) => deps.store.pruneEvents(slice) })
    await pruneRows('ledgers', policy, { maxRows, pruneSlice: (slice) => deps.store.pruneLedgers(slice) })
    await pruneRows('locations', policy, { maxRows, pruneSlice: (slice) => deps.store.pruneLocations(slice) })
  }

  /** What is no question of time: last checkpoints that are owed, and how many a session may have. */
  async function settle(nowMs: number): Promise<void> {
    if (nowMs - settledMs < SETTLE_EVERY_MS) return
    settledMs = nowMs
    await settleFinished()
    await pruneCheckpoints(BEFORE_EVERYTHING, Infinity)
  }

  return {
    noteClock() {
      // Without a look before it there is nothing to compare the clock with.
      if (lookedMs === undefined) return
      observe()
      save(deps.clock.monotonicMs())
    },
    async look() {
      const seen = observe()
      const nowMs = deps.clock.monotonicMs()
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
