import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

/** Indexes for finding the newest checkpoint. They include `created_at` so that an age limit is decided in the index. */
const LOOKUPS = {
  checkpoints_project_id: ['project_id', 'seq', 'created_at'],
  checkpoints_project_path: ['project', 'seq'],
  checkpoints_project_normalized: ['project_normalized', 'seq'],
  checkpoints_place: ['worktree', 'branch', 'seq', 'created_at'],
  checkpoints_worktree: ['worktree', 'seq', 'created_at'],
  checkpoints_session: ['session_id', 'seq', 'prune_rank'],
  checkpoints_session_key: ['session_key', 'seq'],
  checkpoints_prunable: ['prune_rank', 'created_at'],
} as const

export async function checkpoints(db: Kysely<Tables>, { text, bigint, serialKey }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('session_checkpoints')
    .addColumn('seq', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('session_key', text, (column) => column.notNull())
    .addColumn('harness', text, (column) => column.notNull())
    .addColumn('project', text)
    .addColumn('project_normalized', text)
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('worktree', text, (column) => column.notNull())
    .addColumn('branch', text)
    .addColumn('head', text)
    .addColumn('trigger', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('task', text)
    .addColumn('summary', text, (column) => column.notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .addColumn('prompt_count', 'integer', (column) => column.notNull())
    .addColumn('memory_queries', text)
    .addColumn('recent_remembers', text)
    .addColumn('parent_id', text)
    .addColumn('event_seq', bigint, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('prune_rank', 'integer', (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .execute()
  for (const [name, columns] of Object.entries(LOOKUPS)) {
    await db.schema
      .createIndex(name)
      .on('session_checkpoints')
      .columns([...columns])
      .execute()
  }
  await sql`create index checkpoints_name on session_checkpoints (name, seq) where name is not null`.execute(db)

  await db.schema
    .createTable('checkpoint_counts')
    .addColumn('session_id', text, (column) => column.primaryKey())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('prunable', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('checkpoint_counts_total').on('checkpoint_counts').column('total').execute()
}
