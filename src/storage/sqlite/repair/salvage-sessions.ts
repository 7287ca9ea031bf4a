import type { Kysely } from 'kysely'
import { retellSession } from '../../queries/rebuild-session.ts'
import { saveSessions } from '../../queries/sessions.ts'
import type { Tables } from '../../rows/schema.ts'
import { soundSession } from '../../rows/session-integrity.ts'

/** Those of which a row was saved that is no session go, so that their events can tell them again. */
async function dropUnsound(db: Kysely<Tables>): Promise<void> {
  const rows = await db.selectFrom('sessions').select(['id', 'last_event_seq', 'body']).execute()
  for (const row of rows) {
    if (soundSession(row) === undefined) await db.deleteFrom('sessions').where('id', '=', row.id).execute()
  }
}

/** Sessions whose row was lost are told again from their events. */
export async function rebuildSessions(db: Kysely<Tables>): Promise<void> {
  await dropUnsound(db)
  const orphans = await db
    .selectFrom('events')
    .select('session_id')
    .distinct()
    .where('session_id', 'not in', (from) => from.selectFrom('sessions').select('sessions.id'))
    .execute()
  for (const { session_id } of orphans) {
    const session = await retellSession(db, session_id)
    if (session) await saveSessions(db, [session])
  }
  // Rows from before there was an order have none.
  await db
    .updateTable('sessions')
    .set((row) => ({ order_seq: row.ref('last_event_seq') }))
    .execute()
}
