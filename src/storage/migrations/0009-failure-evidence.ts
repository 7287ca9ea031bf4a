import type { Kysely } from 'kysely'
import type { Tables } from '../rows/schema.ts'
import type { SchemaDialect } from './dialect.ts'

/** What was seen of an approach that failed, beside the memory of it; and a project's memories of one type without reading the rest. */
export async function failureEvidence(db: Kysely<Tables>, { text }: SchemaDialect): Promise<void> {
  await db.schema.alterTable('memories').addColumn('evidence', text).execute()
  await db.schema.createIndex('memories_type').on('memories').columns(['project_id', 'type', 'row_id']).execute()
}
