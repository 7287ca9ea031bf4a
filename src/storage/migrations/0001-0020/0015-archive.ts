import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** What was said and done in sessions, for full-text search; stays longer than the events. */
export async function archive(db: Kysely<Tables>, dialect: SchemaDialect): Promise<void> {
  const { text, bigint, serialKey } = dialect
  await db.schema
    .createTable('archive_items')
    .addColumn('row_id', serialKey)
    .addColumn('event_seq', bigint, (column) => column.notNull())
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('project_id', text)
    .addColumn('harness', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('archive_items_session').on('archive_items').column('session_id').execute()
  await db.schema
    .createTable('archive_state')
    .addColumn('id', bigint, (column) => column.primaryKey())
    .addColumn('seq', bigint, (column) => column.notNull())
    .addColumn('chars', bigint, (column) => column.notNull())
    .execute()
  await db.insertInto('archive_state').values({ id: 1, seq: 0, chars: 0 }).execute()
  await dialect.createTermIndex(db, { terms: 'archive_terms', items: 'archive_items' })
}
