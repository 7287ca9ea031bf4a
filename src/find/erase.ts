import type { EraseReport } from '../kernel/archive.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { ProjectId, SessionKey } from '../kernel/id.ts'
import { isLive } from '../kernel/ports/liveness.ts'
import type { Tombstone } from '../kernel/ports/record-store.ts'
import { createTombstone } from '../kernel/ports/tombstone.ts'
import { listErasedThings } from './erased-things.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import type { EraseUseCases } from './use-cases.ts'

const MAX_SESSIONS = 500

export function createErase(
  ports: ContinuityPorts,
  getSession: (key: SessionKey, harness?: string) => Promise<Session>,
): EraseUseCases {
  const { store } = ports

  async function refuseLive(sessions: readonly Session[]): Promise<void> {
    const { daemon } = await ports.configFor(undefined)
    const live = sessions.find((session) => isLive(session, ports, daemon.assumeLiveMs))
    if (live !== undefined)
      throw new HoldfastError('conflict', `Session ${live.key} is running; it would be recorded again.`, {
        hint: 'End it in its harness first.',
      })
  }

  /** Other homes erase the same records once they get the tombstone, and never store them again. */
  async function eraseWith(
    erased: Tombstone['erased'],
    wanted: Parameters<typeof listErasedThings>[1],
    isPreview: boolean,
  ): Promise<EraseReport> {
    const { selection, digests } = await listErasedThings(ports, wanted)
    if (isPreview) return store.erase({ ...selection, isPreview })
    const tombstone = await createTombstone(ports, erased, digests)
    return store.erase({ ...selection, ...(tombstone !== undefined && { tombstone }) })
  }

  async function eraseProject(projectId: ProjectId, isPreview: boolean): Promise<EraseReport> {
    if (!isPreview)
      await refuseLive(
        await store.listSessions({ projectId, phases: ['idle', 'working', 'compacting'], limit: MAX_SESSIONS }),
      )
    return eraseWith('project', { projectId }, isPreview)
  }

  return {
    async erase({ session: key, harness, cwd, projectId, isPerson, isPreview = false }) {
      if ([key, cwd, projectId, isPerson || undefined].filter((given) => given !== undefined).length !== 1)
        throw new HoldfastError('invalid-input', 'Give either a session, a project or a person.')
      if (isPerson === true) {
        if (!isPreview)
          await refuseLive(await store.listSessions({ phases: ['idle', 'working', 'compacting'], limit: MAX_SESSIONS }))
        return eraseWith('person', { isPerson }, isPreview)
      }
      if (key === undefined)
        return eraseProject(projectId ?? (await ports.locator.locate(cwd ?? '')).projectId, isPreview)
      const session = await getSession(key, harness)
      if (!isPreview && session.phase !== 'ended') await refuseLive([session])
      return eraseWith('session', { sessionIds: [session.id] }, isPreview)
    },
  }
}
