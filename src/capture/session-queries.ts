import type { ConsideredPrompt, Continuity } from '../app/continuity.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { newestCheckpoints, newestSessions } from '../kernel/newest-first.ts'
import type { SessionKey } from '../kernel/id.ts'
import { isOfPresentProject, type Session } from '../kernel/session.ts'
import type { ContinuityDeps } from '../kernel/runtime.ts'

const LEDGER_LINES = 50

type Queries = Pick<
  Continuity,
  | 'listSessions'
  | 'getSession'
  | 'explain'
  | 'listEvents'
  | 'listCheckpoints'
  | 'deleteCheckpoint'
  | 'locate'
  | 'sightings'
  | 'counts'
>

/** The reading side of sessions, checkpoints and the ledger. */
export function createSessionQueries(
  deps: ContinuityDeps,
  considered: (session: Session) => Promise<readonly ConsideredPrompt[]>,
): Queries {
  async function getSession(key: SessionKey, harness?: string): Promise<Session> {
    const known = (await deps.store.findSessionsByKey(key)).filter(
      (session) => harness === undefined || session.harness === harness,
    )
    const [session] = known
    if (session === undefined) {
      throw new HoldfastError(
        'not-found',
        `There is no session ${key}${harness === undefined ? '' : ` of ${harness}`}.`,
        {
          hint: 'Run `holdfast sessions list` to see the known ones.',
        },
      )
    }
    if (known.length > 1) {
      const harnesses = known.map((candidate) => candidate.harness).join(', ')
      throw new HoldfastError('conflict', `Session ${key} exists in several harnesses: ${harnesses}.`, {
        hint: 'Say which one you mean with --harness.',
      })
    }
    return session
  }

  async function newestInjected(cwd: string | undefined): Promise<Session | undefined> {
    const here = cwd === undefined ? undefined : await deps.places.locate(cwd)
    const isHere = ({ place }: Session) =>
      here === undefined || (place?.worktree === here.worktree && place.projectId === here.projectId)
    for (const injection of await deps.store.listInjections({ limit: LEDGER_LINES })) {
      const session = await deps.store.findSession(injection.sessionId)
      if (session !== undefined && isHere(session)) return session
    }
    // Why nothing was shown is a question too.
    const { worktree, projectId } = here ?? {}
    return (await deps.store.listSessions({ worktree, projectId, limit: 1 }))[0]
  }

  return {
    getSession,
    async listSessions({ cwd, phases, limit }) {
      const projectId = cwd === undefined ? undefined : (await deps.places.locate(cwd)).projectId
      return newestSessions(deps.store, { projectId, phases, limit })
    },
    async explain({ sessionKey, cwd }) {
      const session = sessionKey === undefined ? await newestInjected(cwd) : await getSession(sessionKey)
      if (session === undefined) {
        throw new HoldfastError('not-found', 'Nothing has been put before an agent here yet.', {
          hint: 'Start a session in this project, or run `holdfast recover <transcript> --explain` on a transcript.',
        })
      }
      const told = await deps.store.listInjections({ sessionId: session.id, limit: LEDGER_LINES })
      const injections = told.filter((injection) => isOfPresentProject(injection, session))
      return { session, injections, prompts: await considered(session) }
    },
    listEvents: (query) => deps.store.listEvents(query),
    listCheckpoints: (query) => newestCheckpoints(deps.store, query),
    async deleteCheckpoint(id) {
      if (await deps.store.deleteCheckpoint(id)) return
      throw new HoldfastError('not-found', `There is no checkpoint ${id}.`, {
        hint: 'Run `holdfast checkpoints list` to see the known ones.',
      })
    },
    locate: (cwd) => deps.places.locate(cwd),
    sightings: (harness) => deps.store.listSightings(harness),
    counts: () => deps.store.counts(),
  }
}
