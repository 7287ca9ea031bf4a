import type { Kysely } from 'kysely'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import type { SessionId } from '../../kernel/id.ts'
import { advance, type Session } from '../../kernel/session.ts'
import { readCheckpoint, readEvent } from '../rows/body.ts'
import type { Tables } from '../rows/schema.ts'
import { isSoundCheckpoint, isSoundEvent } from '../rows/row-integrity.ts'

/** A session whose row was lost, from its events; where it was, by its newest checkpoint. Undefined without any. */
export async function retellSession(db: Kysely<Tables>, id: SessionId): Promise<Session | undefined> {
  const checkpoint = await db
    .selectFrom('session_checkpoints')
    .select(['hash', 'body'])
    .where('session_id', '=', id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const place = checkpoint && isSoundCheckpoint(checkpoint) ? readCheckpoint(checkpoint.body).place : undefined
  const rows = await db.selectFrom('events').selectAll().where('session_id', '=', id).orderBy('seq').execute()
  let session: Session | undefined
  for (const row of rows.filter(isSoundEvent)) {
    const context = { seq: row.seq, place, cadence: DEFAULT_CONFIG.continuity }
    session = advance(session, readEvent(row.body), context).session
  }
  return session
}
