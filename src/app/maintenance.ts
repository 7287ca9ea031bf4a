import { getErrorMessage } from '../kernel/errors.ts'
import { type Phase, type Session, isPeriodicDue } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { isLive, isOnThisMachine, isOrphan } from '../kernel/ports/liveness.ts'
import { createPruner } from '../retention/pruning.ts'
import type { Archive } from '../find/archive.ts'
import type { StartOutcomes } from '../outcomes/start-outcomes.ts'

const SESSIONS_PER_TICK = 500
const EVENTS_PER_TICK = 2_000

export interface Maintenance {
  /** Time-triggered checkpoints, orphans, pruning. Cheap when there is nothing to do. */
  tick(): Promise<void>
  liveSessions(): Promise<number>
  /** Records how long the clock was observed. Call it before an orderly stop: the daemon may run for less than the interval. */
  noteClock(): void
}

export function createMaintenance(
  ports: ContinuityPorts,
  checkpointer: Pick<Checkpointer, 'checkpoint'>,
  outcomes: Pick<StartOutcomes, 'settleQuiet'>,
  archive: Archive,
): Maintenance {
  /** Sessions of other machines are handled there, where their files are. */
  async function sessionsHere(phases: readonly Phase[]): Promise<readonly Session[]> {
    const sessions = await ports.store.listSessions({ phases, limit: SESSIONS_PER_TICK })
    return sessions.filter((session) => isOnThisMachine(session, ports))
  }

  function openSessions(): Promise<readonly Session[]> {
    return sessionsHere(['idle', 'working', 'compacting'])
  }

  async function attend(session: Session): Promise<void> {
    const { continuity } = await ports.configFor(session.place?.worktree)
    if (isOrphan(session, ports)) {
      await checkpointer.checkpoint(session.id, 'interrupted')
      await ports.store.markInterrupted(session.id, ports.clock.now())
      ports.log.warn('session interrupted', { session: session.id, pid: session.process?.pid })
    } else if (isPeriodicDue(session, ports.clock.now(), continuity)) {
      await checkpointer.checkpoint(session.id, 'periodic')
    }
  }

  /** One session's error must not prevent checkpoints of the others. */
  async function forEach(sessions: readonly Session[], act: (session: Session) => Promise<unknown>): Promise<void> {
    for (const session of sessions) {
      try {
        await act(session)
      } catch (error) {
        ports.log.error('session not attended', { session: session.id, error: getErrorMessage(error) })
      }
    }
  }

  /** A session may have ended without its last checkpoint, if the daemon was killed: it is taken now, while there are events. Not for a session that is still being imported. */
  async function settleFinished(): Promise<void> {
    const finished = await sessionsHere(['ended', 'interrupted'])
    await forEach(
      finished.filter(
        (session) => session.hasNewWork && session.place !== undefined && session.endReason !== 'imported',
      ),
      ({ id, phase }) => checkpointer.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted'),
    )
  }

  const pruning = createPruner(ports, settleFinished, (now) => archive.prune(now))

  return {
    async tick() {
      await forEach(await openSessions(), attend)
      await outcomes.settleQuiet()
      // Before events are deleted by age.
      await archive.catchUp(EVENTS_PER_TICK)
      await pruning.look()
    },
    noteClock: () => pruning.noteClock(),
    async liveSessions() {
      const { daemon } = await ports.configFor(undefined)
      return (await openSessions()).filter((session) => isLive(session, ports, daemon.assumeLiveMs)).length
    },
  }
}
