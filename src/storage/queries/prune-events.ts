import type { Kysely } from 'kysely'
import type { RetentionPolicy } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables } from '../rows/schema.ts'
import { lockHead, moveAnchor, readAnchor } from './rows/log-head.ts'
import { byEarlierClock, cutoffOf } from './rows/retention.ts'
import { isOver, loadSessions } from './sessions.ts'

function mayStillBeWorkedIn(session: Session | undefined, cutoff: string): boolean {
  return session !== undefined && !isOver(session) && session.lastEventAt >= cutoff
}

/** One slice of the log's beginning. Runs inside one transaction: the anchor never says other than what is there. */
export async function pruneEvents(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'hasRowLocks' | 'serverNow'>,
  given: RetentionPolicy,
): Promise<number> {
  await lockHead(db, engine)
  const policy = await byEarlierClock(db, engine, given)
  const anchor = await readAnchor(db)
  const oldest = await db
    .selectFrom('events')
    .select(['seq', 'session_id', 'at', 'hash'])
    .where('seq', '>', anchor.seq)
    .orderBy('seq')
    .limit(policy.sliceRows)
    .execute()
  const cutoff = cutoffOf(policy)
  const sessions = await loadSessions(db, [...new Set(oldest.map(({ session_id }) => session_id))])
  // A time that is yet to come says nothing about age: such an event goes with a later one that is old, and holds none up.
  const isMistimed = (at: string) => at > policy.now
  const firstToStay = oldest.findIndex(
    ({ at, session_id }) => (at >= cutoff && !isMistimed(at)) || mayStillBeWorkedIn(sessions.get(session_id), cutoff),
  )
  const passed = firstToStay === -1 ? oldest : oldest.slice(0, firstToStay)
  const doomed = passed.slice(0, passed.findLastIndex(({ at }) => !isMistimed(at)) + 1)
  const last = doomed.at(-1)
  if (last === undefined) return 0
  await db.deleteFrom('events').where('seq', '>', anchor.seq).where('seq', '<=', last.seq).execute()
  await moveAnchor(db, { seq: last.seq, hash: last.hash })
  return doomed.length
}
