import { messageOf } from '../errors.ts'
import type { Session } from '../session.ts'
import { isPeriodicDue } from '../session.ts'
import type { Composing } from './composing.ts'
import type { ContinuityDeps } from './deps.ts'
import { isLive, isOrphan } from './liveness.ts'

const SESSIONS_PER_TICK = 500
const PRUNE_SLICE_ROWS = 500
const PRUNE_EVERY_MS = 3_600_000
/** A clock that jumped this far between two looks is not believed until a second look agrees. */
const CLOCK_JUMP_MS = 24 * 3_600_000

export interface Maintenance {
  /** Time-triggered checkpoints, orphans, pruning. Cheap when there is nothing to do. */
  tick(): Promise<void>
  liveSessions(): Promise<number>
}

export function createMaintenance(deps: ContinuityDeps, composing: Pick<Composing, 'checkpoint'>): Maintenance {
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

  /** A session may be over without its last checkpoint, when the daemon was killed just then: now, while it has events. */
  async function settleFinished(): Promise<void> {
    const finished = await deps.store.listSessions({ phases: ['ended', 'interrupted'], limit: SESSIONS_PER_TICK })
    await forEach(
      finished.filter((session) => session.hasNewWork && session.place !== undefined),
      ({ id, phase }) => composing.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted'),
    )
  }

  async function pruneAll(what: string, pruneSlice: () => Promise<number>): Promise<void> {
    let pruned = 0
    for (;;) {
      const count = await pruneSlice()
      pruned += count
      if (count < PRUNE_SLICE_ROWS) break
    }
    if (pruned > 0) deps.log.info(`${what} pruned`, { count: pruned })
  }

  async function prune(): Promise<void> {
    const wallMs = Date.parse(deps.clock.now())
    const monotonicMs = deps.clock.monotonicMs()
    const previous = lastPrune
    if (previous !== undefined && monotonicMs - previous.monotonicMs < PRUNE_EVERY_MS) return
    lastPrune = { wallMs, monotonicMs }
    if (previous !== undefined) {
      const jump = Math.abs(wallMs - previous.wallMs - (monotonicMs - previous.monotonicMs))
      if (jump > CLOCK_JUMP_MS) {
        deps.log.warn('clock jumped, pruning waits for a second look', { jumpMs: jump })
        return
      }
    }
    const { continuity } = await deps.configFor(undefined)
    const slice = { now: deps.clock.now(), sliceRows: PRUNE_SLICE_ROWS }
    const checkpoints = {
      ...slice,
      retentionDays: continuity.retentionDays,
      maxPerSession: continuity.maxCheckpointsPerSession,
    }
    const events = { ...slice, retentionDays: continuity.eventRetentionDays }
    await settleFinished()
    await pruneAll('checkpoints', () => deps.store.pruneCheckpoints(checkpoints))
    await pruneAll('events', () => deps.store.pruneEvents(events))
    await pruneAll('ledgers', () => deps.store.pruneLedgers(events))
  }

  return {
    async tick() {
      await forEach(await openSessions(), attend)
      await prune()
    },
    async liveSessions() {
      const { daemon } = await deps.configFor(undefined)
      return (await openSessions()).filter((session) => isLive(session, deps, daemon.assumeLiveMs)).length
    },
  }
}
