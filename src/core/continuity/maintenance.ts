import { messageOf } from '../errors.ts'
import type { RetentionPolicy } from '../ports.ts'
import type { Session } from '../session.ts'
import { isPeriodicDue } from '../session.ts'
import type { Composing } from './composing.ts'
import type { ContinuityDeps } from './deps.ts'
import { isLive, isOrphan } from './liveness.ts'
import type { Receipts } from './receipts.ts'

const SESSIONS_PER_TICK = 500
const CHECKPOINT_SLICE_ROWS = 500
/** Events are many and large: a hook that comes in meanwhile waits for one slice, so it is a small one. */
const EVENT_SLICE_ROWS = 100
const PRUNE_EVERY_MS = 3_600_000
/** A clock that jumped this far between two looks is not believed until a second look agrees. */
const CLOCK_JUMP_MS = 24 * 3_600_000

export interface Maintenance {
  /** Time-triggered checkpoints, orphans, pruning. Cheap when there is nothing to do. */
  tick(): Promise<void>
  liveSessions(): Promise<number>
}

export function createMaintenance(
  deps: ContinuityDeps,
  composing: Pick<Composing, 'checkpoint'>,
  receipts: Pick<Receipts, 'attend'>,
): Maintenance {
  let lastPrune: { readonly wallMs: number; readonly monotonicMs: number } | undefined

  function openSessions(): Promise<readonly Session[]> {
    return deps.store.listSessions({ phases: ['idle', 'working', 'compacting'], limit: SESSIONS_PER_TICK })
  }

  async function attend(session: Session): Promise<void> {
    const { continuity } = await deps.configFor(session.place?.worktree)
    if (isOrphan(session, deps)) {
      await composing.checkpoint(session.id, 'interrupted')
      await deps.store.markInterrupted(session.id, deps.clock.now())
      deps.log.warn('session interrupted', { session: session.id, pid: session.process?.pid })
    } else if (isPeriodicDue(session, deps.clock.now(), continuity)) {
      await composing.checkpoint(session.id, 'periodic')
    }
  }

  /** Whatever one session's trouble is, it must not keep the others from their checkpoints. */
  async function forEach(sessions: readonly Session[], act: (session: Session) => Promise<unknown>): Promise<void> {
    for (const session of sessions) {
      try {
        await act(session)
      } catch (error) {
        deps.log.error('session not attended', { session: session.id, error: messageOf(error) })
      }
    }
  }

  /** A session may be over without its last checkpoint, when the daemon was killed just then: now, while it has events. One that is being imported is composed when all of it is here. */
  async function settleFinished(): Promise<void> {
    const finished = await deps.store.listSessions({ phases: ['ended', 'interrupted'], limit: SESSIONS_PER_TICK })
    await forEach(
      finished.filter(
        (session) => session.hasNewWork && session.place !== undefined && session.endReason !== 'imported',
      ),
      ({ id, phase }) => composing.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted'),
    )
  }

  async function pruneAll<Policy extends RetentionPolicy>(
    what: string,
    policy: Policy,
    pruneSlice: (policy: Policy) => Promise<number>,
  ): Promise<void> {
    let pruned = 0
    for (;;) {
      const count = await pruneSlice(policy)
      pruned += count
      if (count < policy.sliceRows) break
    }
    if (pruned > 0) deps.log.info(`${what} pruned`, { count: pruned })
  }

  /** A daemon that just started compares its clock with the newest thing it kept: it may have booted with a wrong one. */
  async function lastKnownTime(monotonicMs: number): Promise<typeof lastPrune> {
    const [latest] = await deps.store.listSessions({ limit: 1 })
    return latest === undefined ? undefined : { wallMs: Date.parse(latest.lastEventAt), monotonicMs }
  }

  async function prune(): Promise<void> {
    const wallMs = Date.parse(deps.clock.now())
    const monotonicMs = deps.clock.monotonicMs()
    if (lastPrune !== undefined && monotonicMs - lastPrune.monotonicMs < PRUNE_EVERY_MS) return
    const previous = lastPrune ?? (await lastKnownTime(monotonicMs))
    lastPrune = { wallMs, monotonicMs }
    // Nothing was kept yet, so nothing can be too old.
    if (previous === undefined) return
    const jump = Math.abs(wallMs - previous.wallMs - (monotonicMs - previous.monotonicMs))
    if (jump > CLOCK_JUMP_MS) {
      deps.log.warn('clock jumped, pruning waits for a second look', { jumpMs: jump })
      return
    }
    const { continuity } = await deps.configFor(undefined)
    const now = deps.clock.now()
    const checkpoints = {
      now,
      retentionDays: continuity.retentionDays,
      maxPerSession: continuity.maxCheckpointsPerSession,
      sliceRows: CHECKPOINT_SLICE_ROWS,
    }
    const events = { now, retentionDays: continuity.eventRetentionDays, sliceRows: EVENT_SLICE_ROWS }
    await settleFinished()
    await pruneAll('checkpoints', checkpoints, (policy) => deps.store.pruneCheckpoints(policy))
    await pruneAll('events', events, (policy) => deps.store.pruneEvents(policy))
    await pruneAll('ledgers', events, (policy) => deps.store.pruneLedgers(policy))
  }

  return {
    async tick() {
      await forEach(await openSessions(), attend)
      await receipts.attend()
      await prune()
    },
    async liveSessions() {
      const { daemon } = await deps.configFor(undefined)
      return (await openSessions()).filter((session) => isLive(session, deps, daemon.assumeLiveMs)).length
    },
  }
}
