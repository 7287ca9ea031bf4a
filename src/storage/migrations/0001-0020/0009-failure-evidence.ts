import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Evidence of a failed approach, stored with its memory; and an index of a project's memories by type. */
export async function failureEvidence(db: Kysely<Tables>, { text }: SchemaDialect): Promise<void> {
  await db.schema.alterTable('memories').addColumn('evidence', text).execute()
  await db.schema.createIndex('memories_type').on('memories').columns(['project_id', 'type', 'row_id']).execute()
}
