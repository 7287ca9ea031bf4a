import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function checklistRecords(db: Kysely<Tables>, { text, serialKey }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('checklist_records')
    .addColumn('seq', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('item_id', text, (column) => column.notNull())
    .addColumn('section', text, (column) => column.notNull())
    .addColumn('item_text', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('note', text)
    .addColumn('marked_by', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('run', text)
    .execute()
  await db.schema
    .createIndex('checklist_records_project')
    .on('checklist_records')
    .columns(['project_id', 'seq'])
    .execute()
}
