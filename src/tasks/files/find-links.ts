import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOnThisMachine } from '../../kernel/ports/liveness.ts'
import type { EventOf } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Machine } from '../../kernel/machine.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import { TASKS_FOLDER } from './task-folder.ts'

/** The task session that a session of the event log works for. */
export interface TaskLink {
  readonly root: string
  readonly slug: string
  readonly taskSession: string
}

const SESSIONS_LOOKED_AT = 200
const EVENTS_LOOKED_AT = 500

export type LinkStore = Pick<Store, 'listSessions' | 'listEvents'>

export interface LinkEvent {
  readonly sessionId: SessionId
  readonly event: EventOf<'task-session-changed'>
}

/** What was said about tasks before this process, in order. Only sessions of checkouts that have tasks are asked: nobody else pays. */
export async function findLinkEvents(store: LinkStore, machine: Machine): Promise<readonly LinkEvent[]> {
  const roots = new Map<string, boolean>()
  const found: LinkEvent[] = []
  for (const session of await store.listSessions({ limit: SESSIONS_LOOKED_AT })) {
    const { id: sessionId, place } = session
    // The tasks of another machine's checkouts are on its disk.
    if (place === undefined || !isOnThisMachine(session, { machine })) continue
    const hasTasks = roots.get(place.worktree) ?? existsSync(join(place.worktree, TASKS_FOLDER))
    roots.set(place.worktree, hasTasks)
    if (!hasTasks) continue
    const events = await store.listEvents({ sessionId, kinds: ['task-session-changed'], limit: EVENTS_LOOKED_AT })
    for (const { event } of events) if (event.kind === 'task-session-changed') found.push({ sessionId, event })
  }
  return found
}
