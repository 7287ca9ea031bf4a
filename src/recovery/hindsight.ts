import type { Store } from '../kernel/ports/ports.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import type { Session } from '../kernel/session.ts'
import { createSourceSelection } from './select-sources.ts'
import { createStartBlock } from './start-block.ts'
import type { Hindsight } from './use-cases.ts'

/** The store as it was at a time: sessions that were over by then, and nothing of later ones. */
function createPastStore(store: Store, at: string): Store {
  const isPast = (session: Session) => session.lastEventAt <= at
  return {
    ...store,
    listSessions: async (query) => (await store.listSessions(query)).filter(isPast),
    findSession: async (id) => {
      const found = await store.findSession(id)
      return found !== undefined && isPast(found) ? found : undefined
    },
    listCheckpoints: async (query) => {
      const found = await store.listCheckpoints(query)
      const owners = new Map(
        await Promise.all(
          [...new Set(found.map(({ checkpoint }) => checkpoint.sessionId))].map(
            async (id) => [id, await store.findSession(id)] as const,
          ),
        ),
      )
      return found.filter(({ checkpoint }) => {
        const owner = owners.get(checkpoint.sessionId)
        return owner !== undefined && isPast(owner)
      })
    },
  }
}

/**
 * The recovery for each of the latest sessions, from what was over when it started. Disk and git of that time are not
 * known, so the lines are not checked. Writes nothing.
 */
export function createHindsight(ports: ContinuityPorts) {
  async function lookBack(session: Session): Promise<Hindsight | undefined> {
    const { place, startedAt: at } = session
    if (place === undefined) return undefined
    const past: ContinuityPorts = {
      ...ports,
      store: createPastStore(ports.store, at),
      clock: { ...ports.clock, now: () => at },
      // Without a folder nothing can be checked.
      files: { ...ports.files, isDirectory: async () => false },
    }
    const selection = createSourceSelection(past, { checkpoint: async () => undefined })
    const blockFor = createStartBlock(past, selection)
    const {
      sections: _,
      budgetChars: __,
      forUser: ___,
      ...recovery
    } = await blockFor({ place, cwd: session.cwd }, Number.MAX_SAFE_INTEGER)
    return { session, recovery }
  }

  return async ({ cwd, limit }: { readonly cwd?: string; readonly limit: number }): Promise<readonly Hindsight[]> => {
    const projectId = cwd === undefined ? undefined : (await ports.locator.locate(cwd)).projectId
    const found: Hindsight[] = []
    for (const session of await listNewestSessions(ports.store, { projectId, limit: limit * 2 })) {
      if (found.length >= limit) break
      const one = session.promptCount === 0 ? undefined : await lookBack(session)
      if (one !== undefined) found.push(one)
    }
    return found
  }
}
