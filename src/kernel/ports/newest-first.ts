import type { StoredCheckpoint } from '../checkpoint.ts'
import type { Store } from './ports.ts'
import type { CheckpointQuery, SessionQuery } from './store-queries.ts'
import type { Session } from '../session.ts'

/** Imported sessions are the newest in the log, however old they are: with them, more sessions must be read. */
const MANY_SESSIONS = 2_000

export function isImported({ endReason }: Session): boolean {
  return endReason === 'imported'
}

/** Events that entered the log later than they happened: imported, or received from another home. */
function isLate(session: Session): boolean {
  return isImported(session) || session.origin !== undefined
}

/** In the log's order, except that what came late is sorted in by its own times. */
function inOrderOfTime(newestFirst: readonly Session[]): readonly Session[] {
  const imported = newestFirst.filter(isLate).toSorted((a, b) => (a.lastEventAt > b.lastEventAt ? -1 : 1))
  if (imported.length === 0) return newestFirst
  const ordered: Session[] = []
  for (const seen of newestFirst.filter((session) => !isLate(session))) {
    while ((imported[0]?.lastEventAt ?? '') > seen.lastEventAt) ordered.push(...imported.splice(0, 1))
    ordered.push(seen)
  }
  return [...ordered, ...imported]
}

/** The page after a session, in the same order: by time among the newest, in the log's order after them. */
async function listAfter(store: Pick<Store, 'listSessions'>, query: SessionQuery): Promise<readonly Session[]> {
  const { afterSession, ...first } = query
  const newest = await store.listSessions({ ...first, limit: MANY_SESSIONS })
  const ordered = inOrderOfTime(newest)
  const at = ordered.findIndex(({ id }) => id === afterSession)
  const page = at === -1 ? [] : ordered.slice(at + 1, at + 1 + query.limit)
  if (page.length === query.limit || newest.length < MANY_SESSIONS) return page
  const from = at === -1 ? afterSession : newest.at(-1)?.id
  return [...page, ...(await store.listSessions({ ...query, afterSession: from, limit: query.limit - page.length }))]
}

/** Newest first by activity, so that imported sessions do not hide the observed ones. */
export async function listNewestSessions(
  store: Pick<Store, 'listSessions'>,
  query: SessionQuery,
): Promise<readonly Session[]> {
  if (query.afterSession !== undefined) return listAfter(store, query)
  const newest = await store.listSessions(query)
  if (!newest.some(isLate)) return newest
  const isCrowded = newest.length >= query.limit && query.limit < MANY_SESSIONS
  const found = isCrowded ? await store.listSessions({ ...query, limit: MANY_SESSIONS }) : newest
  return inOrderOfTime(found).slice(0, query.limit)
}

/** Newest first by session as in `listNewestSessions`; within a session in the log's order. */
export async function listNewestCheckpoints(
  store: Pick<Store, 'findSession' | 'listSessions' | 'listCheckpoints'>,
  query: CheckpointQuery,
): Promise<readonly StoredCheckpoint[]> {
  const newest = await store.listCheckpoints(query)
  if (query.sessionId !== undefined || query.sessionKey !== undefined) return newest
  const ids = [...new Set(newest.map(({ checkpoint }) => checkpoint.sessionId))]
  const speaking = await Promise.all(ids.map((id) => store.findSession(id)))
  if (!speaking.some((session) => session !== undefined && isLate(session))) return newest
  const { projectId, worktree, limit } = query
  const found: StoredCheckpoint[] = []
  for (const { id } of await listNewestSessions(store, { projectId, worktree, limit: MANY_SESSIONS })) {
    if (found.length >= limit) break
    found.push(...(await store.listCheckpoints({ ...query, sessionId: id, limit: limit - found.length })))
  }
  return found
}
