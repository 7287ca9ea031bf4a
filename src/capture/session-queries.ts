import { HoldfastError } from '../kernel/errors.ts'
import { newestSessions } from '../kernel/ports/newest-first.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { CaptureUseCases } from './use-cases.ts'

type Queries = Omit<CaptureUseCases, 'record' | 'recordAll'>

/** Reads sessions and events. */
export function createSessionQueries(deps: ContinuityDeps): Queries {
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

  return {
    getSession,
    async listSessions({ cwd, phases, limit }) {
      const projectId = cwd === undefined ? undefined : (await deps.places.locate(cwd)).projectId
      return newestSessions(deps.store, { projectId, phases, limit })
    },
    listEvents: (query) => deps.store.listEvents(query),
    locate: (cwd) => deps.places.locate(cwd),
    sightings: (harness) => deps.store.listSightings(harness),
    counts: () => deps.store.counts(),
  }
}
