import type { Kysely } from 'kysely'
import { DEFAULT_CONFIG } from '../../core/config.ts'
import { advance, type Session } from '../../core/session.ts'
import { readCheckpoint, readEvent } from '../body.ts'
import { isSoundCheckpoint } from '../queries/checkpoints.ts'
import { isSoundEvent } from '../queries/events.ts'
import { saveSessions } from '../queries/sessions.ts'
import type { Tables } from '../schema.ts'

/** Sessions whose row was lost are told again from their events; where they were, by their newest checkpoint. */
export async function rebuildSessions(db: Kysely<Tables>): Promise<void> {
  const orphans = await db
    .selectFrom('events')
    .select('session_id')
    .distinct()
    .where('session_id', 'not in', (from) => from.selectFrom('sessions').select('sessions.id'))
    .execute()
  for (const { session_id } of orphans) {
    const checkpoint = await db
      .selectFrom('session_checkpoints')
      .select(['hash', 'body'])
      .where('session_id', '=', session_id)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    const place = checkpoint && isSoundCheckpoint(checkpoint) ? readCheckpoint(checkpoint.body).place : undefined
    const rows = await db.selectFrom('events').selectAll().where('session_id', '=', session_id).orderBy('seq').execute()
    let session: Session | undefined
    for (const row of rows.filter(isSoundEvent)) {
      const context = { seq: row.seq, place, cadence: DEFAULT_CONFIG.continuity }
      session = advance(session, readEvent(row.body), context).session
    }
    if (session) await saveSessions(db, [session])
  }
}
