import type { Kysely, Selectable } from 'kysely'
import type { Checkpoint, CheckpointHead, StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { CheckpointId, SessionId } from '../../kernel/id.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import { DELETED } from '../../kernel/ports/record-store.ts'
import type { CheckpointQuery } from '../../kernel/ports/store-queries.ts'
import { afterCheckpoint } from '../../kernel/session.ts'
import type { Engine, TermIndex } from '../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../rows/schema.ts'
import { lockHead } from './rows/log-head.ts'
import { limitSession, pruneCheckpoints, useEarlierClock } from './retention.ts'
import { recount } from './rows/checkpoint-row.ts'
import { type CheckpointRecord, rankForPruning, toRow, toStoredCheckpoint } from './rows/checkpoint-row.ts'
import { changeSession } from './sessions.ts'
import { readIntact } from './rows/statements.ts'
import { deleteCheckpointWork, saveCheckpointWork } from './search/work-items.ts'

async function find(db: Kysely<Tables>, id: CheckpointId): Promise<StoredCheckpoint | undefined> {
  const row = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'hash', 'body'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toStoredCheckpoint(db, row)
}

/** Updates the pruning ranks after the newest checkpoint of a session changed: the newest is never pruned, the one before may be. */
async function rankNewest(db: Kysely<Tables>, sessionId: SessionId): Promise<void> {
  const newest = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'trigger', 'name', 'task', 'prune_rank'])
    .where('session_id', '=', sessionId)
    .orderBy('seq', 'desc')
    .limit(2)
    .execute()
  for (const [index, row] of newest.entries()) {
    const task = row.task === null ? undefined : { slug: row.task }
    const rank = index === 0 ? 0 : rankForPruning({ trigger: row.trigger, name: row.name ?? undefined, task })
    if (rank === row.prune_rank) continue
    await db.updateTable('session_checkpoints').set({ prune_rank: rank }).where('seq', '=', row.seq).execute()
  }
}

async function keep(
  db: Kysely<Tables>,
  index: TermIndex<WorkItemRow>,
  checkpoint: Checkpoint,
): Promise<StoredCheckpoint> {
  const known = await find(db, checkpoint.id)
  if (known !== undefined) return known
  // Only a damaged row can still conflict: it is replaced.
  await db.deleteFrom('session_checkpoints').where('id', '=', checkpoint.id).execute()
  const row = toRow(checkpoint)
  const { seq } = await db.insertInto('session_checkpoints').values(row).returning('seq').executeTakeFirstOrThrow()
  await rankNewest(db, checkpoint.sessionId)
  await recount(db, [checkpoint.sessionId])
  await saveCheckpointWork(db, index, checkpoint)
  await changeSession(db, checkpoint.sessionId, (session) =>
    afterCheckpoint(session, checkpoint.createdAt, checkpoint.eventSeq),
  )
  return { checkpoint, seq, hash: row.hash }
}

/** It never changes, so that its deletion is its only version. */
async function noteDeletedCheckpoint(db: Kysely<Tables>, id: CheckpointId): Promise<void> {
  const known = await db.selectFrom('session_checkpoints').select('project_id').where('id', '=', id).executeTakeFirst()
  await db
    .insertInto('record_versions')
    .values({
      kind: 'checkpoint',
      id,
      project_id: known?.project_id ?? null,
      count: 1,
      machine: '',
      hash: DELETED,
      body: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function remove(db: Kysely<Tables>, index: TermIndex<WorkItemRow>, id: CheckpointId): Promise<boolean> {
  const expired = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'session_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (expired === undefined) return false
  await deleteCheckpointWork(db, index, [expired.seq])
  await db.deleteFrom('session_checkpoints').where('seq', '=', expired.seq).execute()
  await rankNewest(db, expired.session_id)
  await recount(db, [expired.session_id])
  return true
}

type PathColumn = 'project' | 'project_normalized'

interface PageOptions {
  readonly beforeSeq?: number
  readonly count: number
  readonly pathColumn?: PathColumn
}

function selectPage(db: Kysely<Tables>, query: CheckpointQuery, options: PageOptions) {
  const { excludeSessions = [], since } = query
  const beforeSeq = options.beforeSeq ?? query.beforeSeq
  let select = db.selectFrom('session_checkpoints')
  if (beforeSeq !== undefined) select = select.where('seq', '<', beforeSeq)
  if (query.trigger !== undefined) select = select.where('trigger', '=', query.trigger)
  if (query.project !== undefined && options.pathColumn) select = select.where(options.pathColumn, '=', query.project)
  if (query.projectId !== undefined) select = select.where('project_id', '=', query.projectId)
  if (query.sessionId !== undefined) select = select.where('session_id', '=', query.sessionId)
  if (query.sessionKey !== undefined) select = select.where('session_key', '=', query.sessionKey)
  if (query.worktree !== undefined) select = select.where('worktree', '=', query.worktree)
  if (query.branch !== undefined) select = select.where('branch', '=', query.branch)
  if (query.name !== undefined) select = select.where('name', '=', query.name)
  if (since !== undefined) select = select.where('created_at', '>=', since)
  if (excludeSessions.length > 0) select = select.where('session_id', 'not in', excludeSessions)
  return select.orderBy('seq', 'desc').limit(options.count)
}

async function readPage(
  db: Kysely<Tables>,
  query: CheckpointQuery,
  options: PageOptions,
): Promise<readonly CheckpointRecord[]> {
  return await selectPage(db, query, options).select(['seq', 'hash', 'body']).execute()
}

const HEAD_COLUMNS = [
  'seq',
  'id',
  'session_id',
  'session_key',
  'harness',
  'project',
  'project_id',
  'worktree',
  'branch',
  'trigger',
  'name',
  'summary',
  'prompt_count',
  'event_seq',
  'created_at',
] as const

function toHead(row: Pick<Selectable<Tables['session_checkpoints']>, (typeof HEAD_COLUMNS)[number]>): CheckpointHead {
  return {
    id: row.id,
    seq: row.seq,
    sessionId: row.session_id,
    sessionKey: row.session_key,
    harness: row.harness,
    projectId: row.project_id,
    project: row.project,
    worktree: row.worktree,
    ...(row.branch === null ? {} : { branch: row.branch }),
    trigger: row.trigger,
    ...(row.name === null ? {} : { name: row.name }),
    summary: row.summary,
    promptCount: row.prompt_count,
    eventSeq: row.event_seq,
    createdAt: row.created_at,
  }
}

/** Two index lookups combined for the two path columns: one query with `or` would read the whole table. */
async function findNewest(
  db: Kysely<Tables>,
  query: CheckpointQuery,
  page: { readonly beforeSeq?: number; readonly count: number },
): Promise<readonly CheckpointRecord[]> {
  if (query.project === undefined) return await readPage(db, query, page)
  const raw = await readPage(db, query, { ...page, pathColumn: 'project' })
  const normalized = await readPage(db, query, { ...page, pathColumn: 'project_normalized' })
  const bySeq = new Map([...raw, ...normalized].map((row) => [row.seq, row]))
  return [...bySeq.values()].toSorted((a, b) => b.seq - a.seq).slice(0, page.count)
}

export function checkpointQueries(
  engine: Engine,
): Pick<
  Store,
  | 'saveCheckpoint'
  | 'findCheckpoint'
  | 'listCheckpoints'
  | 'listCheckpointHeads'
  | 'deleteCheckpoint'
  | 'pruneCheckpoints'
> {
  return {
    listCheckpointHeads: (query) =>
      engine.read(async (db) => {
        const page = { count: query.limit, pathColumn: 'project' } as const
        return (await selectPage(db, query, page).select(HEAD_COLUMNS).execute()).map(toHead)
      }),
    saveCheckpoint: (checkpoint, maxPerSession) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        const stored = await keep(db, engine.workIndex, checkpoint)
        if (maxPerSession !== undefined)
          await limitSession({ db, index: engine.workIndex }, checkpoint.sessionId, maxPerSession)
        return stored
      }),
    findCheckpoint: (id) => engine.read((db) => find(db, id)),
    listCheckpoints: (query) =>
      engine.read((db) =>
        readIntact<CheckpointRecord, StoredCheckpoint>(
          query.limit,
          (after, count) => findNewest(db, query, { beforeSeq: after?.seq, count }),
          (row) => toStoredCheckpoint(db, row),
        ),
      ),
    deleteCheckpoint: (id) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        await noteDeletedCheckpoint(db, id)
        return await remove(db, engine.workIndex, id)
      }),
    pruneCheckpoints: (policy) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        return await pruneCheckpoints(db, engine.workIndex, await useEarlierClock(db, engine, policy))
      }),
  }
}
