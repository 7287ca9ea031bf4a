import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Whose a memory is and where it is known. Rows without values were written here, for their project. */
export async function ownerAndScope(db: Kysely<Tables>, { text }: SchemaDialect): Promise<void> {
  for (const column of ['scope', 'principal', 'machine', 'machine_name'])
    await db.schema.alterTable('memories').addColumn(column, text).execute()
}
