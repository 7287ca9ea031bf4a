import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** What was exchanged with other homes, who wrote it, and what was erased and stays erased. */
export async function records(db: Kysely<Tables>, { text, bigint }: SchemaDialect): Promise<void> {
  for (const table of ['rules', 'project_locations'])
    await db.schema.alterTable(table).addColumn('origin', text).execute()
  await db.schema
    .createTable('record_versions')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('project_id', text)
    .addColumn('count', bigint, (column) => column.notNull())
    .addColumn('machine', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text)
    .addPrimaryKeyConstraint('record_versions_key', ['kind', 'id'])
    .execute()
  await db.schema
    .createTable('machines')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('person', text, (column) => column.notNull())
    .addColumn('person_name', text, (column) => column.notNull())
    .addColumn('public_key', text)
    .execute()
  await db.schema
    .createTable('tombstones')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('erased_ids')
    .addColumn('digest', text, (column) => column.primaryKey())
    .addColumn('tombstone', text, (column) => column.notNull())
    .execute()
}
