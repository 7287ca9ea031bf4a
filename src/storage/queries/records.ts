import { sql } from 'kysely'
import { type ProjectId, SessionId } from '../../kernel/id.ts'
import { DELETED, JUST_DELETED, type RecordStore, type StoredVersion } from '../../kernel/ports/record-store.ts'
import type { Session } from '../../kernel/session.ts'
import { intactRows } from '../rows/row-integrity.ts'
import type { Tables } from '../rows/schema.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { toEntity, toIntent, toIntentRow } from './agent-records.ts'
import { lockHead } from './rows/log-head.ts'
import { inSlices } from './rows/statements.ts'
import { peopleQueries } from './people.ts'
import { toRule } from './rules.ts'
import { loadSessions, saveSessions } from './sessions.ts'
import { toSummary } from './search/summaries.ts'

function toVersion(row: Tables['record_versions']): StoredVersion {
  return {
    kind: row.kind,
    id: row.id,
    ...(row.project_id !== null && { projectId: row.project_id }),
    count: row.count,
    machine: row.machine,
    hash: row.hash,
    ...(row.body !== null && { body: row.body }),
  }
}

function versionQueries(engine: Engine): Pick<RecordStore, 'findVersions' | 'saveVersions' | 'listDeleted'> {
  return {
    findVersions: (kind, ids) =>
      engine.read(async (db) => {
        const rows = await inSlices(ids, (slice) =>
          db.selectFrom('record_versions').selectAll().where('kind', '=', kind).where('id', 'in', slice).execute(),
        )
        return intactRows(db, 'record_versions', rows).map(toVersion)
      }),
    saveVersions: (versions) =>
      engine.write(async (db) => {
        await inSlices(versions, (slice) =>
          db
            .insertInto('record_versions')
            .values(
              slice.map(({ kind, id, projectId, count, machine, hash, body }) => ({
                kind,
                id,
                project_id: projectId ?? null,
                count,
                machine,
                hash,
                body: body ?? null,
              })),
            )
            .onConflict((conflict) =>
              conflict.columns(['kind', 'id']).doUpdateSet((row) => ({
                project_id: row.ref('excluded.project_id'),
                count: row.ref('excluded.count'),
                machine: row.ref('excluded.machine'),
                hash: row.ref('excluded.hash'),
                body: row.ref('excluded.body'),
              })),
            )
            .execute(),
        )
      }),
    listDeleted: ({ projectIds }) =>
      engine.read(async (db) => {
        if (projectIds?.length === 0) return []
        const rows = await db
          .selectFrom('record_versions')
          .selectAll()
          .where('hash', 'in', [DELETED, JUST_DELETED])
          .$if(projectIds !== undefined, (select) => select.where('project_id', 'in', projectIds ?? []))
          .orderBy('kind')
          .orderBy('id')
          .execute()
        return intactRows(db, 'record_versions', rows).map(toVersion)
      }),
  }
}

/** The positions in our log and what our process knows of it stay as they are. */
function withOwnPositions(received: Session, own: Session | undefined, seq: number): Session {
  return {
    ...received,
    lastEventSeq: own?.lastEventSeq ?? seq,
    epoch: own?.epoch ?? received.epoch,
    recoveredEpoch: own?.recoveredEpoch ?? received.recoveredEpoch,
    labels: received.labels ?? own?.labels,
  }
}

function sessionQueries(
  engine: Engine,
): Pick<RecordStore, 'saveReceivedSession' | 'listSessionsOfCheckpointsOnly' | 'listProjectIds'> {
  return {
    saveReceivedSession: (session) =>
      engine.write(async (db) => {
        const { seq } = await lockHead(db, engine)
        const own = (await loadSessions(db, [session.id])).get(session.id)
        await saveSessions(db, [withOwnPositions(session, own, seq)])
      }),
    listSessionsOfCheckpointsOnly: (projectIds) =>
      engine.read(async (db) => {
        if (projectIds?.length === 0) return []
        const rows = await db
          .selectFrom('session_checkpoints')
          .select('session_id')
          .distinct()
          .where(sql<boolean>`session_id not in (select id from sessions)`)
          .$if(projectIds !== undefined, (select) => select.where('project_id', 'in', projectIds ?? []))
          .orderBy('session_id')
          .execute()
        return rows.map(({ session_id }) => SessionId(session_id))
      }),
    listProjectIds: () =>
      engine.read(async (db) => {
        const { rows } = await sql<{ project_id: ProjectId }>`
          select project_id from project_locations union select project_id from memories
          union select project_id from rules union select project_id from entities
          union select project_id from session_intents union select project_id from session_summaries
          union select project_id from memory_drafts union select project_id from session_checkpoints
          order by project_id`.execute(db)
        return rows.map(({ project_id }) => project_id)
      }),
  }
}

function itemQueries(
  engine: Engine,
): Pick<
  RecordStore,
  'saveReceivedIntent' | 'findRule' | 'findIntent' | 'findSummary' | 'findEntity' | 'listOwnEntities' | 'deleteLocation'
> {
  return {
    saveReceivedIntent: (intent) =>
      engine.write(async (db) => {
        const row = toIntentRow(intent)
        const { completed_at, outcome } = row
        await db
          .insertInto('session_intents')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ completed_at, outcome }))
          .execute()
      }),
    findRule: (id) =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('rules').selectAll().where('id', '=', id).execute()
        return intactRows(db, 'rules', rows).map(toRule)[0]
      }),
    findIntent: (id) =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('session_intents').selectAll().where('id', '=', id).execute()
        return intactRows(db, 'session_intents', rows).map(toIntent)[0]
      }),
    findSummary: (id) =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('session_summaries').selectAll().where('id', '=', id).execute()
        return intactRows(db, 'session_summaries', rows).map(toSummary)[0]
      }),
    findEntity: ({ projectId, type, name }) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('entities')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('type', '=', type)
          .where('name', '=', name)
          .execute()
        return intactRows(db, 'entities', rows).map(toEntity)[0]
      }),
    listOwnEntities: (projectId) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('entities')
          .selectAll()
          .where('project_id', '=', projectId)
          .orderBy('type')
          .orderBy('name')
          .execute()
        return intactRows(db, 'entities', rows).map(toEntity)
      }),
    deleteLocation: ({ machineId, location, projectId }) =>
      engine.write(async (db) => {
        await db
          .deleteFrom('project_locations')
          .where('machine_id', '=', machineId)
          .where('location', '=', location)
          .where('project_id', '=', projectId)
          .execute()
      }),
  }
}

export function recordQueries(engine: Engine): Omit<RecordStore, 'findDraft'> {
  return { ...versionQueries(engine), ...sessionQueries(engine), ...itemQueries(engine), ...peopleQueries(engine) }
}
