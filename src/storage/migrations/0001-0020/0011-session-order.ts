import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Indexes for finding the newest sessions. */
const LOOKUPS = {
  sessions_latest: ['order_seq'],
  sessions_project: ['project_id', 'order_seq'],
  sessions_worktree: ['worktree', 'order_seq'],
  sessions_phase: ['phase', 'order_seq'],
} as const

/**
 * Sessions are listed newest first. Ordering by the last event's number meant rewriting four indexes for every event, which
 * was half of what an append wrote and synced. The first number of the session's newest unbroken run of events
 * gives the same order and changes only when another session had an event in between.
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
