import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function memories(db: Kysely<Tables>, dialect: SchemaDialect): Promise<void> {
  const { text, serialKey } = dialect
  await db.schema
    .createTable('memories')
    .addColumn('row_id', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('importance', 'integer', (column) => column.notNull())
    .addColumn('tags', text, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('supersedes', text)
    .addColumn('superseded_by', text)
    .addColumn('hits', 'integer', (column) => column.notNull())
    .addColumn('last_hit_at', text)
    .execute()
  await db.schema.createIndex('memories_project').on('memories').columns(['project_id', 'row_id']).execute()
  await dialect.createTermIndex(db, { terms: 'memory_terms', items: 'memories' })
}
