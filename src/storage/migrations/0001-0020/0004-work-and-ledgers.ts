import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function workAndLedgers(db: Kysely<Tables>, { text, bigint, serialKey }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('work_snapshots')
    .addColumn('session_id', text, (column) => column.primaryKey())
    .addColumn('event_seq', bigint, (column) => column.notNull())
    .addColumn('transcript_offset', bigint, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('injections')
    .addColumn('seq', serialKey)
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('chars', 'integer', (column) => column.notNull())
    .addColumn('text_hash', text, (column) => column.notNull())
    .addColumn('sources', text, (column) => column.notNull())
    .addColumn('reasons', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('injections_session').on('injections').columns(['session_id', 'seq']).execute()

  await db.schema
    .createTable('sightings')
    .addColumn('harness', text, (column) => column.notNull())
    .addColumn('harness_version', text, (column) => column.notNull())
    .addColumn('hook', text, (column) => column.notNull())
    .addColumn('count', bigint, (column) => column.notNull())
    .addColumn('last_seen_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('sightings_key', ['harness', 'harness_version', 'hook'])
    .execute()
}
