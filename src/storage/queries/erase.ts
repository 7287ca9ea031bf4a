import { type Kysely, sql } from 'kysely'
import { type EraseReport, NOTHING_ERASED } from '../../kernel/archive.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { SessionId } from '../../kernel/id.ts'
import type { EraseSelection, LibraryStore } from '../../kernel/ports/library-store.ts'
import { JUST_DELETED } from '../../kernel/ports/record-store.ts'
import { saveTombstone } from './people.ts'
import { ERASED_BODY } from '../rows/body.ts'
import type { Tables } from '../rows/schema.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { inSlices } from './rows/statements.ts'
import { lockHead } from './rows/log-head.ts'

/** The same for every erased event, so that the row names no session. */
const ERASED_SESSION = SessionId('erased/erased')

type EraseTarget = Pick<EraseSelection, 'projectId'> & { readonly sessions: readonly SessionId[] }

async function listSessions(db: Kysely<Tables>, selection: EraseSelection): Promise<readonly SessionId[]> {
  const given = selection.sessionIds ?? []
  if (selection.projectId === undefined) return given
  const rows = await db.selectFrom('sessions').select('id').where('project_id', '=', selection.projectId).execute()
  return [...new Set([...given, ...rows.map(({ id }) => id)])]
}

/** The condition on a table with both columns, or with a session only. */
function matches({ sessions, projectId }: EraseTarget, hasProject: boolean) {
  const bySession = sessions.length === 0 ? sql`1 = 0` : sql`session_id in (${sql.join(sessions)})`
  return hasProject && projectId !== undefined ? sql`(${bySession} or project_id = ${projectId})` : bySession
}

/** Deletes matching rows and, where there is one, their entries in the index. */
async function deleteFrom(
  db: Kysely<Tables>,
  table: keyof Tables,
  selected: EraseTarget & {
    readonly hasProject: boolean
    readonly terms?: { remove(db: Kysely<Tables>, rowId: number): Promise<void> }
  },
): Promise<number> {
  const where = matches(selected, selected.hasProject)
  if (selected.terms !== undefined) {
    const { rows } = await sql<{ row_id: number }>`select row_id from ${sql.table(table)} where ${where}`.execute(db)
    for (const { row_id } of rows) await selected.terms.remove(db, row_id)
  }
  const { rows } = await sql<object>`delete from ${sql.table(table)} where ${where} returning 1 as one`.execute(db)
  return rows.length
}

/** The chain needs the hash of every event: the row stays with its number and hash, without text, id and session. */
async function eraseEvents(db: Kysely<Tables>, sessions: readonly SessionId[]): Promise<number> {
  const rows = await inSlices(sessions, (slice) =>
    db.selectFrom('events').select('seq').where('session_id', 'in', slice).execute(),
  )
  await inSlices(rows, async (slice) => {
    const seqs = slice.map(({ seq }) => seq)
    await sql`update events set body = ${ERASED_BODY}, id = 'erased-' || seq, session_id = ${ERASED_SESSION}
      where seq in (${sql.join(seqs)})`.execute(db)
    return []
  })
  return rows.length
}

/** What was injected into other sessions of the same project may quote the erased ones. */
async function eraseQuotes(db: Kysely<Tables>, { sessions, projectId }: EraseTarget): Promise<number> {
  if (projectId !== undefined || sessions.length === 0) return 0
  const { rows } = await sql<object>`
    delete from injections where session_id in (
      select id from sessions where project_id in (select project_id from sessions where id in (${sql.join(sessions)}))
    ) returning 1 as one`.execute(db)
  return rows.length
}

/** Those that are named beside a session or a project. */
async function eraseNamed(
  engine: Engine,
  db: Kysely<Tables>,
  { memoryIds = [], ruleIds = [] }: EraseSelection,
): Promise<{ readonly memories: number; readonly rules: number }> {
  const memories = await inSlices(memoryIds, async (slice) => {
    const rows = await db.selectFrom('memories').select(['row_id', 'id']).where('id', 'in', slice).execute()
    for (const { row_id } of rows) await engine.memoryIndex.remove(db, row_id)
    const deleted = await db.deleteFrom('memories').where('id', 'in', slice).returning('id').execute()
    return [...deleted, ...(await db.deleteFrom('memory_drafts').where('id', 'in', slice).returning('id').execute())]
  })
  const rules = await inSlices(ruleIds, (slice) =>
    db.deleteFrom('rules').where('id', 'in', slice).returning('id').execute(),
  )
  await inSlices([...memoryIds, ...ruleIds], async (slice) => {
    await db.deleteFrom('record_versions').where('id', 'in', slice).execute()
    return []
  })
  return { memories: memories.length, rules: rules.length }
}

/** Versions name what they belong to. Of what may be registered again, the deletion is noted by its digest. */
async function eraseVersions(db: Kysely<Tables>, { sessions, projectId }: EraseTarget): Promise<void> {
  await inSlices(sessions, async (slice) => {
    await db.deleteFrom('record_versions').where('id', 'in', slice).execute()
    await db.deleteFrom('taken_work').where('session_id', 'in', slice).execute()
    return []
  })
  if (projectId === undefined) return
  const ofProject = db.updateTable('record_versions').where('project_id', '=', projectId)
  await ofProject.set({ hash: JUST_DELETED, body: null }).where('kind', 'in', ['entity', 'location']).execute()
  await db
    .deleteFrom('record_versions')
    .where('project_id', '=', projectId)
    .where('kind', 'not in', ['entity', 'location'])
    .execute()
}

async function eraseAll(engine: Engine, db: Kysely<Tables>, selection: EraseSelection): Promise<EraseReport> {
  await lockHead(db, engine)
  const sessions = await listSessions(db, selection)
  const selected = { sessions, projectId: selection.projectId }
  const { projectId } = selected
  const remove = (
    table: keyof Tables,
    hasProject = true,
    terms?: Engine['memoryIndex'] | Engine['workIndex'] | Engine['archiveIndex'],
  ) => deleteFrom(db, table, { ...selected, hasProject, ...(terms !== undefined && { terms }) })
  const archive = await remove('archive_items', true, engine.archiveIndex)
  await sql`update archive_state set chars = (select coalesce(sum(length(text)), 0) from archive_items)`.execute(db)
  await remove('work_items', true, engine.workIndex)
  const quotes = await eraseQuotes(db, selected)
  const report = {
    events: await eraseEvents(db, sessions),
    checkpoints: await remove('session_checkpoints'),
    memories: (await remove('memories', true, engine.memoryIndex)) + (await remove('memory_drafts')),
    rules: await remove('rules'),
    archive,
    injections: quotes + (await remove('injections', false)),
    intents: await remove('session_intents'),
    summaries: await remove('session_summaries'),
  }
  let other =
    (await remove('checkpoint_counts', false)) + (await remove('work_snapshots', false)) + (await remove('receipts'))
  if (projectId !== undefined) {
    const names = await db.selectFrom('projects').select('name').where('project_id', '=', projectId).execute()
    for (const { name } of names) await db.deleteFrom('project_keywords').where('project', '=', name).execute()
    for (const table of ['projects', 'entities', 'checklist_records', 'project_locations'] as const) {
      const deleted =
        await sql<object>`delete from ${sql.table(table)} where project_id = ${projectId} returning 1 as one`.execute(
          db,
        )
      other += deleted.rows.length
    }
  }
  const named = await eraseNamed(engine, db, selection)
  await eraseVersions(db, selected)
  if (selection.tombstone !== undefined) await saveTombstone(db, selection.tombstone)
  const gone = await inSlices(sessions, (slice) =>
    db.deleteFrom('sessions').where('id', 'in', slice).returning('id').execute(),
  )
  return {
    ...NOTHING_ERASED,
    ...report,
    memories: report.memories + named.memories,
    rules: report.rules + named.rules,
    other,
    sessions: gone.length,
  }
}

export function eraseQueries(engine: Engine): Pick<LibraryStore, 'erase'> {
  return {
    async erase(selection) {
      if (selection.isPreview === true) {
        // Counted by doing it, and undone.
        const undone = new HoldfastError('internal', 'The preview is undone.')
        let report: EraseReport = NOTHING_ERASED
        try {
          await engine.write(async (db) => {
            report = await eraseAll(engine, db, selection)
            throw undone
          })
        } catch (thrown) {
          if (thrown !== undone) throw thrown
        }
        return report
      }
      const report = await engine.write((db) => eraseAll(engine, db, selection))
      return { ...report, backups: await engine.scrub() }
    },
  }
}
