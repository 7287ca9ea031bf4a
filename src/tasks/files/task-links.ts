import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOnThisMachine } from '../../kernel/ports/liveness.ts'
import type { EventOf } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Machine } from '../../kernel/location.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import { TASKS_FOLDER } from './task-folder.ts'

/** The task session that a harness session works for. */
export interface TaskLink {
  readonly root: string
  readonly slug: string
  readonly taskSession: string
}

const MAX_SESSIONS = 200
const MAX_EVENTS = 500

export type LinkStore = Pick<Store, 'listSessions' | 'listEvents'>

export interface LinkEvent {
  readonly sessionId: SessionId
  readonly event: EventOf<'task-session-changed'>
}

/** Task links recorded before this process started, in order. Reads only sessions of checkouts that have tasks. */
export async function listLinkEvents(store: LinkStore, machine: Machine): Promise<readonly LinkEvent[]> {
  const roots = new Map<string, boolean>()
  const found: LinkEvent[] = []
  for (const session of await store.listSessions({ limit: MAX_SESSIONS })) {
    const { id: sessionId, place: location } = session
    // Tasks of another machine are on its own disk.
    if (location === undefined || !isOnThisMachine(session, { machine })) continue
    const hasTasks = roots.get(location.worktree) ?? existsSync(join(location.worktree, TASKS_FOLDER))
    roots.set(location.worktree, hasTasks)
    if (!hasTasks) continue
    const events = await store.listEvents({ sessionId, kinds: ['task-session-changed'], limit: MAX_EVENTS })
    for (const { event } of events) if (event.kind === 'task-session-changed') found.push({ sessionId, event })
  }
  return found
}
