import { HoldfastError } from '../../kernel/errors.ts'
import type { SessionKey } from '../../kernel/id.ts'
import { isLive, isOver } from '../../kernel/ports/liveness.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Session } from '../../kernel/session.ts'
import { findAuthor, isOfPerson, listElsewhere } from './elsewhere.ts'

/** A session of this repository on another machine. */
export interface TeamSession {
  readonly session: Session
  readonly machine: string
  /** The name of another person; absent: of the person of this home. */
  readonly author?: string
  /** Its machine did not report an end. */
  readonly mayStillRun: boolean
  /** The next session here continues it. */
  readonly isTaken: boolean
}

export interface TeamWorkUseCases {
  /** Sessions of the repository at `cwd` on other machines, of this person and of others, newest first. */
  listTeamSessions(input: { readonly cwd: string; readonly limit: number }): Promise<readonly TeamSession[]>
  /** The next session that starts in the worktree of `cwd` continues this one. Refuses one of another repository. */
  takeWork(input: {
    readonly cwd: string
    readonly sessionKey: SessionKey
    readonly harness?: string
  }): Promise<TeamSession>
  /** False if nothing was taken over there. */
  undoTakeWork(input: { readonly cwd: string }): Promise<boolean>
}

export function createTeamWork(
  ports: ContinuityPorts,
  getSession: (key: SessionKey, harness?: string) => Promise<Session>,
): TeamWorkUseCases {
  const { store } = ports

  async function describe(session: Session, isTaken: boolean): Promise<TeamSession> {
    const author = await findAuthor(ports, session)
    return {
      session,
      machine: session.origin?.machine.name ?? session.machine?.name ?? ports.machine.name,
      ...(author !== undefined && { author }),
      mayStillRun: !isOver(session),
      isTaken,
    }
  }

  return {
    async listTeamSessions({ cwd, limit }) {
      const place = await ports.locator.locate(cwd)
      const taken = await store.findTakenWork(place.worktree)
      const sessions = await listElsewhere(ports, place)
      return Promise.all(sessions.slice(0, limit).map((session) => describe(session, session.id === taken?.sessionId)))
    },

    async takeWork({ cwd, sessionKey, harness }) {
      const [place, session] = await Promise.all([ports.locator.locate(cwd), getSession(sessionKey, harness)])
      const projects = await store.listRepositoryProjects(place.projectId)
      if (session.place === undefined || !projects.includes(session.place.projectId))
        throw new HoldfastError('conflict', `Session ${session.key} worked on another repository.`, {
          hint: 'Run the command in a checkout of its repository.',
        })
      const { daemon } = await ports.configFor(place.worktree)
      if (session.origin === undefined && isLive(session, ports, daemon.assumeLiveMs))
        throw new HoldfastError('conflict', `Session ${session.key} is still running on this machine.`, {
          hint: 'End it first; the next session here then gets a recovery of it.',
        })
      const [newest] = await store.listCheckpoints({ sessionId: session.id, limit: 1 })
      if (newest === undefined)
        throw new HoldfastError('not-found', `No checkpoint of session ${session.key} is stored here yet.`, {
          hint: isOfPerson(session, ports)
            ? 'Export or synchronise again, once its machine has taken a checkpoint.'
            : 'Ask its author to share it with `holdfast share`.',
        })
      const { worktree } = place
      await store.saveTakenWork({ worktree, sessionId: session.id, seq: await store.lastSeq(), at: ports.clock.now() })
      return describe(session, true)
    },

    async undoTakeWork({ cwd }) {
      const { worktree } = await ports.locator.locate(cwd)
      return store.deleteTakenWork(worktree)
    },
  }
}
