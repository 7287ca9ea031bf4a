import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../rows/schema.ts'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'

export async function eventsAndSessions(db: Kysely<Tables>, { text, bigint }: SchemaDialect): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('seq', bigint, (column) => column.primaryKey())
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('prev_hash', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('events_session').on('events').columns(['session_id', 'seq']).execute()

  await db.schema
    .createTable('log_head')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('seq', bigint, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .execute()
  await sql`insert into log_head (id, seq, hash) values (1, 0, '')`.execute(db)

  await db.schema
    .createTable('sessions')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('session_key', text, (column) => column.notNull())
    .addColumn('harness', text, (column) => column.notNull())
    .addColumn('project_id', text)
    .addColumn('worktree', text)
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('pid', bigint)
    .addColumn('process_started_at', text)
    .addColumn('last_event_seq', bigint, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sessions_key').on('sessions').column('session_key').execute()
  await db.schema.createIndex('sessions_latest').on('sessions').column('last_event_seq').execute()
  await db.schema.createIndex('sessions_project').on('sessions').columns(['project_id', 'last_event_seq']).execute()
  await db.schema.createIndex('sessions_worktree').on('sessions').columns(['worktree', 'last_event_seq']).execute()
  await db.schema.createIndex('sessions_phase').on('sessions').columns(['phase', 'last_event_seq']).execute()
  await db.schema.createIndex('sessions_process').on('sessions').columns(['pid', 'process_started_at']).execute()
}
