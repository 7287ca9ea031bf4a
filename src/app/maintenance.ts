import { messageOf } from '../kernel/errors.ts'
import { type Phase, type Session, isPeriodicDue } from '../kernel/session.ts'
import type { Composing } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine, isOrphan } from '../kernel/ports/liveness.ts'
import { createPruning } from '../retention/pruning.ts'
import type { Receipts } from '../outcomes/start-outcomes.ts'

const SESSIONS_PER_TICK = 500

export interface Maintenance {
  /** Time-triggered checkpoints, orphans, pruning. Cheap when there is nothing to do. */
  tick(): Promise<void>
  liveSessions(): Promise<number>
  /** Records how far the clock was watched, before an orderly stop: a life may be shorter than the time between two records. */
  noteClock(): void
}

export function createMaintenance(
  deps: ContinuityDeps,
  composing: Pick<Composing, 'checkpoint'>,
  receipts: Pick<Receipts, 'attend'>,
): Maintenance {
  /** Those of other machines are attended to there, where their files are. */
  async function sessionsHere(phases: readonly Phase[]): Promise<readonly Session[]> {
    const sessions = await deps.store.listSessions({ phases, limit: SESSIONS_PER_TICK })
    return sessions.filter((session) => isOnThisMachine(session, deps))
  }

  function openSessions(): Promise<readonly Session[]> {
    return sessionsHere(['idle', 'working', 'compacting'])
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
    const finished = await sessionsHere(['ended', 'interrupted'])
    await forEach(
      finished.filter(
        (session) => session.hasNewWork && session.place !== undefined && session.endReason !== 'imported',
      ),
      ({ id, phase }) => composing.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted'),
    )
  }

  const pruning = createPruning(deps, settleFinished)

  return {
    async tick() {
      await forEach(await openSessions(), attend)
      await receipts.attend()
      await pruning.look()
    },
    noteClock: () => pruning.noteClock(),
    async liveSessions() {
      const { daemon } = await deps.configFor(undefined)
      return (await openSessions()).filter((session) => isLive(session, deps, daemon.assumeLiveMs)).length
    },
  }
}
