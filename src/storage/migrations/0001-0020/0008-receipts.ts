import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function receipts(db: Kysely<Tables>, { text, bigint }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('receipts')
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('start_seq', bigint, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('receipts_key', ['session_id', 'epoch'])
    .execute()
  await db.schema.createIndex('receipts_project').on('receipts').columns(['project_id', 'start_seq']).execute()
  await db.schema.createIndex('receipts_order').on('receipts').columns(['start_seq']).execute()
  await db.schema.createIndex('receipts_age').on('receipts').columns(['started_at']).execute()
}
