import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Finds the other locations of a repository. */
export async function repositories(db: Kysely<Tables>, _dialect: SchemaDialect): Promise<void> {
  await db.schema.createIndex('project_locations_root').on('project_locations').column('root_commit').execute()
}
