import { HoldfastError } from '../kernel/errors.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { CaptureUseCases } from './use-cases.ts'

type Queries = Omit<CaptureUseCases, 'record' | 'recordAll'>

export function createSessionQueries(ports: ContinuityPorts): Queries {
  async function getSession(key: SessionKey, harness?: string): Promise<Session> {
    const known = (await ports.store.findSessionsByKey(key)).filter(
      (session) => harness === undefined || session.harness === harness,
    )
    const [session] = known
    if (session === undefined) {
      throw new HoldfastError('not-found', `No session ${key}${harness === undefined ? '' : ` of ${harness}`}.`, {
        hint: 'Run `holdfast sessions list` to see the known ones.',
      })
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
      const projectId = cwd === undefined ? undefined : (await ports.locator.locate(cwd)).projectId
      return listNewestSessions(ports.store, { projectId, phases, limit })
    },
    listEvents: (query) => ports.store.listEvents(query),
    locate: (cwd) => ports.locator.locate(cwd),
    sightings: (harness) => ports.store.listSightings(harness),
    counts: () => ports.store.counts(),
  }
}
