import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function agentApi(db: Kysely<Tables>, { text, serialKey }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('root_path', text, (column) => column.notNull())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('project_keywords')
    .addColumn('project', text, (column) => column.notNull())
    .addColumn('keyword', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('project_keywords_key', ['project', 'keyword'])
    .execute()

  await db.schema
    .createTable('session_intents')
    .addColumn('seq', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('worktree', text, (column) => column.notNull())
    .addColumn('session_label', text, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('intent', text, (column) => column.notNull())
    .addColumn('files', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('completed_at', text)
    .addColumn('outcome', text)
    .execute()
  await db.schema.createIndex('session_intents_project').on('session_intents').columns(['project_id', 'seq']).execute()
  await db.schema
    .createIndex('session_intents_session')
    .on('session_intents')
    .columns(['project_id', 'session_label', 'seq'])
    .execute()

  await db.schema
    .createTable('entities')
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('file', text, (column) => column.notNull())
    .addColumn('line', 'integer')
    .addColumn('last_seen_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('entities_key', ['project_id', 'type', 'name'])
    .execute()

  await db.schema
    .createTable('session_summaries')
    .addColumn('seq', serialKey)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('worktree', text, (column) => column.notNull())
    .addColumn('session_label', text)
    .addColumn('session_id', text)
    .addColumn('summary', text, (column) => column.notNull())
    .addColumn('files_changed', text, (column) => column.notNull())
    .addColumn('entities_registered', text, (column) => column.notNull())
    .addColumn('checklist_progress', text, (column) => column.notNull())
    .addColumn('saved_at', text, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('session_summaries_project')
    .on('session_summaries')
    .columns(['project_id', 'seq'])
    .execute()

  await db.schema
    .createTable('session_phases')
    .addColumn('session_label', text, (column) => column.primaryKey())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .execute()
}
