import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Allows pruning the start of the log, with indexes for what is pruned with it. */
export async function logAnchor(db: Kysely<Tables>, { text, bigint }: SchemaDialect): Promise<void> {
  await db.schema
    .alterTable('log_head')
    .addColumn('anchor_seq', bigint, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('log_head')
    .addColumn('anchor_hash', text, (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema.createIndex('injections_at').on('injections').columns(['at', 'seq']).execute()
  await sql`create index work_snapshots_kept on work_snapshots (event_seq) where state <> ''`.execute(db)
}
