import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Rules that users gave. */
export async function rules(db: Kysely<Tables>, { text, serialKey }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('rules')
    .addColumn('row_id', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addColumn('since', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('event_id', text)
    .addColumn('superseded_by', text)
    .addColumn('retired_at', text)
    .execute()
  await db.schema.createIndex('rules_project').on('rules').columns(['project_id', 'row_id']).execute()
}
