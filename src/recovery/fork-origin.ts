import { type SessionId, toSessionId } from '../kernel/id.ts'
import type { Store } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'

const MAX_FORK_CANDIDATES = 40
const CALLS = 1_000

interface ForkOrigin {
  readonly session: Session
  /** The fork's own start: later work of the other session is not part of the fork. */
  readonly beforeSeq: number
}

/**
 * The session that a fork was made from, if its start does not name it. Claude Code 2.1.325 names none in its hooks, and copies the conversation with the ids of
 * its calls into the fork's transcript: the session that shares most of these calls is the origin, live or not.
 */
export function createFindForkOrigin({
  store,
}: {
  readonly store: Pick<Store, 'findSession' | 'listEvents' | 'listSessions'>
}) {
  async function callsOf(sessionId: SessionId): Promise<ReadonlySet<string>> {
    const events = await store.listEvents({ sessionId, kinds: ['tool-finished'], limit: CALLS })
    return new Set(events.flatMap(({ event }) => (event.kind === 'tool-finished' ? (event.tool.callId ?? []) : [])))
  }

  return async ({ id, harness, startedAt, place }: Session): Promise<ForkOrigin | undefined> => {
    const [first] = await store.listEvents({ sessionId: id, kinds: ['session-started'], limit: 1 })
    if (first?.event.kind !== 'session-started' || first.event.source !== 'fork') return undefined
    const { seq: beforeSeq, event } = first
    const named = event.previousSessionKey
    const previous = named === undefined ? undefined : await store.findSession(toSessionId(harness, named))
    if (previous !== undefined) return { session: previous, beforeSeq }
    const copied = await callsOf(id)
    if (copied.size === 0 || place === undefined) return undefined
    const known = await store.listSessions({ projectId: place.projectId, limit: MAX_FORK_CANDIDATES })
    const earlier = known.filter(
      (other) => other.id !== id && other.harness === harness && other.startedAt <= startedAt,
    )
    let most: { readonly session: Session; readonly shared: number } | undefined
    // The oldest of those that share as many: another fork has the same calls.
    for (const session of earlier.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))) {
      const calls = await callsOf(session.id)
      const shared = [...copied].filter((call) => calls.has(call)).length
      if (shared > (most?.shared ?? 0)) most = { session, shared }
    }
    return most === undefined ? undefined : { session: most.session, beforeSeq }
  }
}
