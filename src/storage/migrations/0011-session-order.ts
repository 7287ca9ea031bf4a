import { sql, type Kysely } from 'kysely'
import type { Tables } from '../rows/schema.ts'
import type { SchemaDialect } from './dialect.ts'

/** The ways that the newest sessions are looked up by. */
const LOOKUPS = {
  sessions_latest: ['order_seq'],
  sessions_project: ['project_id', 'order_seq'],
  sessions_worktree: ['worktree', 'order_seq'],
  sessions_phase: ['phase', 'order_seq'],
} as const

/**
 * Sessions are looked up newest first. By the number of the last event that meant four indexes rewritten for every event, which
 * were half of what an append wrote and synced. By the number that the session's newest unbroken run of events began with, which
 * gives the same order, they change only when another session had an event in between.
 */
export async function sessionOrder(db: Kysely<Tables>, { bigint }: SchemaDialect): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('order_seq', bigint).execute()
  await sql`update sessions set order_seq = last_event_seq`.execute(db)
  for (const [name, columns] of Object.entries(LOOKUPS)) {
    await db.schema.dropIndex(name).execute()
    await db.schema
      .createIndex(name)
      .on('sessions')
      .columns([...columns])
      .execute()
  }
}
