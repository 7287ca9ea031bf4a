import type { Intent, Entity } from '../../kernel/agent-records.ts'
import type { AgentStore } from '../../kernel/ports/agent-store.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { IntentRow, EntityRow, ChecklistRecordRow } from '../rows/schema.ts'
import { listKeyParts } from '../../kernel/ports/record-store.ts'
import { sha256 } from '../../platform/base/crypto.ts'
import { markDeleted } from './rows/deleted-records.ts'
import { listRepositoryProjects } from './rows/reach.ts'
import { intactRows, parseStrings, parseRun } from '../rows/row-integrity.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'
import { locationQueries } from './locations.ts'
import type { StoredItemRecord } from '../../kernel/checklist.ts'

/** Of one project: several times what a list of hundreds of items needs. */
const MAX_PER_PROJECT = 2_000

function toItemRecord(row: ChecklistRecordRow): StoredItemRecord {
  const run = parseRun(row.run)
  return {
    id: row.id,
    projectId: row.project_id,
    itemId: row.item_id,
    section: row.section,
    text: row.item_text,
    status: row.status,
    ...(row.note !== null && { note: row.note }),
    by: row.marked_by,
    at: row.at,
    ...(run !== undefined && { run }),
  }
}

export function checklistRecordQueries(
  engine: Engine,
): Pick<AgentStore, 'saveChecklistRecords' | 'listChecklistRecords'> {
  return {
    saveChecklistRecords: (records) =>
      engine.write(async (db) => {
        for (const record of records) {
          await db
            .insertInto('checklist_records')
            .values({
              id: record.id,
              project_id: record.projectId,
              item_id: record.itemId,
              section: record.section,
              item_text: record.text,
              status: record.status,
              note: record.note ?? null,
              marked_by: record.by,
              at: record.at,
              run: record.run === undefined ? null : canonicalJson(record.run),
            })
            .onConflict((conflict) => conflict.column('id').doNothing())
            .execute()
        }
        for (const projectId of new Set(records.map((record) => record.projectId))) {
          const oldest = await db
            .selectFrom('checklist_records')
            .select('seq')
            .where('project_id', '=', projectId)
            .orderBy('seq', 'desc')
            .offset(MAX_PER_PROJECT)
            .limit(1)
            .executeTakeFirst()
          if (oldest === undefined) continue
          await db
            .deleteFrom('checklist_records')
            .where('project_id', '=', projectId)
            .where('seq', '<=', oldest.seq)
            .execute()
        }
      }),
    listChecklistRecords: ({ projectId, limit }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('checklist_records')
          .selectAll()
          .where('project_id', '=', projectId)
          .orderBy('seq', 'desc')
          .limit(limit)
          .execute()
        return intactRows(db, 'checklist_records', rows).map(toItemRecord).toReversed()
      }),
  }
}

export function projectQueries(
  engine: Engine,
): Pick<AgentStore, 'saveProject' | 'saveKeyword' | 'listProjects'> & ReturnType<typeof locationQueries> {
  return {
    ...locationQueries(engine),
    saveProject: ({ name, rootPath, projectId, addedAt }) =>
      engine.write(async (db) => {
        const place = { root_path: rootPath, project_id: projectId }
        await db
          .insertInto('projects')
          .values({ name, ...place, added_at: addedAt })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(place))
          .execute()
      }),
    saveKeyword: (project, keyword) =>
      engine.write(async (db) => {
        await db
          .insertInto('project_keywords')
          .values({ project, keyword })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }),
    listProjects: () =>
      engine.read(async (db) => {
        const projects = await db.selectFrom('projects').selectAll().orderBy('name').execute()
        const words = await db.selectFrom('project_keywords').selectAll().orderBy('keyword').execute()
        const keywords = intactRows(db, 'project_keywords', words)
        return intactRows(db, 'projects', projects).map((row) => ({
          name: row.name,
          rootPath: row.root_path,
          projectId: row.project_id,
          keywords: keywords.flatMap(({ project, keyword }) => (project === row.name ? [keyword] : [])),
          addedAt: row.added_at,
        }))
      }),
  }
}

export function toEntity(row: EntityRow): Entity {
  return {
    projectId: row.project_id,
    name: row.name,
    type: row.type,
    file: row.file,
    ...(row.line !== null && { line: row.line }),
    lastSeenAt: row.last_seen_at,
  }
}

export function entityQueries(engine: Engine): Pick<AgentStore, 'saveEntity' | 'deleteEntities' | 'listEntities'> {
  return {
    saveEntity: ({ projectId, name, type, file, line, lastSeenAt }) =>
      engine.write(async (db) => {
        const where = { file, line: line ?? null, last_seen_at: lastSeenAt }
        await db
          .insertInto('entities')
          .values({ project_id: projectId, name, type, ...where })
          .onConflict((conflict) => conflict.columns(['project_id', 'type', 'name']).doUpdateSet(where))
          .execute()
      }),
    deleteEntities: ({ projectId, name, type }) =>
      engine.write(async (db) => {
        let remove = db.deleteFrom('entities').where('project_id', '=', projectId).where('name', '=', name)
        if (type !== undefined) remove = remove.where('type', '=', type)
        const deleted = await remove.returningAll().execute()
        await markDeleted(
          db,
          'entity',
          deleted.map((row) => sha256(listKeyParts(toEntity(row)))),
        )
        return deleted.length
      }),
    listEntities: ({ projectId, type, limit }) =>
      engine.read(async (db) => {
        const projects = await listRepositoryProjects(db, projectId)
        let select = db.selectFrom('entities').selectAll().where('project_id', 'in', projects)
        if (type !== undefined) select = select.where('type', '=', type)
        const rows = await select.orderBy('type').orderBy('name').limit(limit).execute()
        const isOwn = (row: EntityRow) => row.project_id === projectId
        // Another clone has most of the same ones.
        const once = new Map<string, EntityRow>()
        for (const row of rows.toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one))))
          if (!once.has(`${row.type} ${row.name}`)) once.set(`${row.type} ${row.name}`, row)
        const kept = new Set(once.values())
        return intactRows(db, 'entities', rows).flatMap((row) => (kept.has(row) ? [toEntity(row)] : []))
      }),
  }
}

export function toIntent(row: IntentRow): Intent {
  return {
    id: row.id,
    projectId: row.project_id,
    worktree: row.worktree,
    sessionLabel: row.session_label,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    intent: row.intent,
    files: parseStrings(row.files),
    startedAt: row.started_at,
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
    ...(row.outcome !== null && { outcome: row.outcome }),
  }
}

export function toIntentRow(intent: Intent) {
  return {
    id: intent.id,
    project_id: intent.projectId,
    worktree: intent.worktree,
    session_label: intent.sessionLabel,
    session_id: intent.sessionId ?? null,
    intent: intent.intent,
    files: canonicalJson(intent.files),
    started_at: intent.startedAt,
    completed_at: intent.completedAt ?? null,
    outcome: intent.outcome ?? null,
  }
}

export function intentQueries(engine: Engine): Pick<AgentStore, 'saveIntent' | 'completeIntents' | 'listIntents'> {
  return {
    saveIntent: (intent) =>
      engine.write(async (db) => {
        await db
          .insertInto('session_intents')
          .values(toIntentRow(intent))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute()
      }),
    completeIntents: ({ projectId, sessionLabel, completedAt, outcome }) =>
      engine.write(async (db) => {
        const completed = await db
          .updateTable('session_intents')
          .set({ completed_at: completedAt, outcome: outcome ?? null })
          .where('project_id', '=', projectId)
          .where('session_label', '=', sessionLabel)
          .where('completed_at', 'is', null)
          .returning('id')
          .execute()
        return completed.length
      }),
    listIntents: ({ projectId, sessionLabel, isOpen, limit, offset = 0 }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('session_intents').selectAll().where('project_id', '=', projectId)
        if (sessionLabel !== undefined) select = select.where('session_label', '=', sessionLabel)
        if (isOpen !== undefined) select = select.where('completed_at', isOpen ? 'is' : 'is not', null)
        const rows = await select.orderBy('seq', 'desc').limit(limit).offset(offset).execute()
        return intactRows(db, 'session_intents', rows).map(toIntent)
      }),
  }
}
