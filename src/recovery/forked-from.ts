import { type SessionId, sessionIdOf } from '../kernel/id.ts'
import type { Store } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'

const CANDIDATES = 40
const CALLS = 1_000

export interface ForkedFrom {
  readonly session: Session
  /** The fork's own start: what the other did after it is no past of the fork. */
  readonly beforeSeq: number
}

/**
 * Which session a fork was made of, where its start does not name it. Claude Code 2.1.325 names none in its hooks, and copies the conversation with the ids of
 * its calls into the fork's transcript: whoever made most of these calls is the one, live or not.
 */
export function createForkedFrom({
  store,
}: {
  readonly store: Pick<Store, 'findSession' | 'listEvents' | 'listSessions'>
}) {
  async function callsOf(sessionId: SessionId): Promise<ReadonlySet<string>> {
    const events = await store.listEvents({ sessionId, kinds: ['tool-finished'], limit: CALLS })
    return new Set(events.flatMap(({ event }) => (event.kind === 'tool-finished' ? (event.tool.callId ?? []) : [])))
  }

  return async ({ id, harness, startedAt, place }: Session): Promise<ForkedFrom | undefined> => {
    const [first] = await store.listEvents({ sessionId: id, kinds: ['session-started'], limit: 1 })
    if (first?.event.kind !== 'session-started' || first.event.source !== 'fork') return undefined
    const { seq: beforeSeq, event } = first
    const named = event.previousSessionKey
    const told = named === undefined ? undefined : await store.findSession(sessionIdOf(harness, named))
    if (told !== undefined) return { session: told, beforeSeq }
    const copied = await callsOf(id)
    if (copied.size === 0 || place === undefined) return undefined
    const known = await store.listSessions({ projectId: place.projectId, limit: CANDIDATES })
    const earlier = known.filter(
      (other) => other.id !== id && other.harness === harness && other.startedAt <= startedAt,
    )
    let most: { readonly session: Session; readonly shared: number } | undefined
    // The eldest of those that share as many: another fork of the same moment has them too, and then work of its own.
    for (const session of earlier.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))) {
      const calls = await callsOf(session.id)
      const shared = [...copied].filter((call) => calls.has(call)).length
      if (shared > (most?.shared ?? 0)) most = { session, shared }
    }
    return most === undefined ? undefined : { session: most.session, beforeSeq }
  }
}
