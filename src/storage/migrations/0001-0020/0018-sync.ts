import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** What this home knows about its exchanges with other machines: numbers of its log, positions, members. It never travels. */
export async function sync(db: Kysely<Tables>, { text }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('sync_entries')
    .addColumn('topic', text, (column) => column.notNull())
    .addColumn('space', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('sync_entries_key', ['topic', 'space', 'name'])
    .execute()
}
