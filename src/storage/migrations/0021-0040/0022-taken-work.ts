import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Which session the next one in a worktree continues, because the user said so. */
export async function takenWork(db: Kysely<Tables>, { text, bigint }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('taken_work')
    .addColumn('worktree', text, (column) => column.primaryKey())
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('seq', bigint, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .execute()
}
