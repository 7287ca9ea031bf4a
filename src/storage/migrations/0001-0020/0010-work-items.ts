import type { Kysely } from 'kysely'
import { reindexWork } from '../../queries/search/summaries.ts'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function workItems(db: Kysely<Tables>, dialect: SchemaDialect): Promise<void> {
  const { text, serialKey } = dialect
  await db.schema
    .createTable('work_items')
    .addColumn('row_id', serialKey)
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('item_id', text, (column) => column.notNull())
    .addColumn('work_key', text, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addColumn('terms', text, (column) => column.notNull())
    .addColumn('files', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('work_items_project').on('work_items').columns(['project_id', 'row_id']).execute()
  await db.schema.createIndex('work_items_key').on('work_items').column('work_key').execute()
  await db.schema.createIndex('work_items_item').on('work_items').column('item_id').execute()
  await dialect.createTermIndex(db, { terms: 'work_terms', items: 'work_items' })
  await reindexWork(db, dialect.workIndex)
}
