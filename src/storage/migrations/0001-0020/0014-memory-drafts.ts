import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Memories that are not in force, and what memories name in the project. */
export async function memoryDrafts(db: Kysely<Tables>, { text, serialKey }: SchemaDialect): Promise<void> {
  await db.schema.alterTable('memories').addColumn('anchors', text).execute()
  await db.schema
    .createTable('memory_drafts')
    .addColumn('row_id', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('memory_drafts_project').on('memory_drafts').columns(['project_id', 'row_id']).execute()
}
