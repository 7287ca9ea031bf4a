import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Which project is at which path of which machine, and the owner of the store. */
export async function projectLocations(db: Kysely<Tables>, { text }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('project_locations')
    .addColumn('machine_id', text, (column) => column.notNull())
    .addColumn('location', text, (column) => column.notNull())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('remote', text)
    .addColumn('remotes', text, (column) => column.notNull())
    .addColumn('stamp', text)
    .addColumn('root_commit', text)
    .addColumn('commits', text, (column) => column.notNull())
    .addColumn('moved_from', text)
    .addColumn('last_seen_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('project_locations_key', ['machine_id', 'location', 'project_id'])
    .execute()
  for (const column of ['location', 'stamp', 'project_id'] as const)
    await db.schema
      .createIndex(`project_locations_${column === 'project_id' ? 'project' : column}`)
      .on('project_locations')
      .column(column)
      .execute()

  await db.schema
    .createTable('store_owner')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('person_id', text, (column) => column.notNull())
    .addColumn('person_name', text, (column) => column.notNull())
    .addColumn('claimed_at', text, (column) => column.notNull())
    .execute()
}
