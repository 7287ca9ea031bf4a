import type { Kysely } from 'kysely'
import { HoldfastError } from '../../../kernel/errors.ts'
import { ME_PROJECT, MemoryId } from '../../../kernel/id.ts'
import { type Memory, TASK_SOURCE } from '../../../kernel/memory.ts'
import type { Store } from '../../../kernel/ports/ports.ts'
import type { Engine, TermIndex } from '../../rows/sql-engine.ts'
import type { MemoryRow, Tables } from '../../rows/schema.ts'
import { intactRows } from '../../rows/row-integrity.ts'
import { markDeleted } from '../rows/deleted-records.ts'
import { listReach } from '../rows/reach.ts'
import { ofScope, searchMemories, toSearchTerms, toMemory } from './search-memories.ts'
import { createRecentMemories } from './recent-memories.ts'
import { searchWork } from './work-items.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'

type MemoryIndex = TermIndex<MemoryRow>

async function find(db: Kysely<Tables>, id: MemoryId): Promise<MemoryRow | undefined> {
  return await db.selectFrom('memories').selectAll().where('id', '=', id).executeTakeFirst()
}

async function supersede(db: Kysely<Tables>, memory: Memory, older: MemoryId): Promise<void> {
  const row = await find(db, older)
  // One of a project may become one of every project.
  const isReached = memory.projectId === ME_PROJECT || row?.project_id === memory.projectId
  if (row === undefined || !(isReached || (await listReach(db, memory.projectId)).includes(row.project_id))) {
    throw new HoldfastError('not-found', `No memory ${older} in this project to supersede.`, {
      hint: 'Run `holdfast recall` to see the current memories and their ids.',
    })
  }
  // The memory that superseded it may have been deleted since: then it can be superseded again.
  const before = row.superseded_by
  const forgotten = before !== null && (await find(db, MemoryId(before))) === undefined ? before : undefined
  // One statement decides, so that of two concurrent writers only one wins.
  const taken = await db
    .updateTable('memories')
    .set({ superseded_by: memory.id })
    .where('id', '=', older)
    .where((is) => (forgotten === undefined ? is('superseded_by', 'is', null) : is('superseded_by', '=', forgotten)))
    .returning('id')
    .executeTakeFirst()
  if (taken !== undefined) return
  const newer = (await find(db, older))?.superseded_by ?? 'another'
  throw new HoldfastError('conflict', `Memory ${older} is already superseded by ${newer}.`, {
    hint: `Supersede ${newer} instead.`,
  })
}

async function save(db: Kysely<Tables>, index: MemoryIndex, memory: Memory): Promise<void> {
  if ((await find(db, memory.id)) !== undefined) return
  if (memory.supersedes !== undefined) await supersede(db, memory, memory.supersedes)
  await insert(db, index, memory)
}

async function insert(db: Kysely<Tables>, index: MemoryIndex, memory: Memory): Promise<void> {
  const { row_id } = await db
    .insertInto('memories')
    .values({
      id: memory.id,
      project_id: memory.projectId,
      type: memory.type,
      content: memory.content,
      importance: memory.importance,
      tags: canonicalJson(memory.tags),
      source: memory.source,
      session_id: memory.sessionId ?? null,
      created_at: memory.createdAt,
      supersedes: memory.supersedes ?? null,
      superseded_by: memory.supersededBy ?? null,
      hits: memory.hits,
      last_hit_at: memory.lastHitAt ?? null,
      evidence: memory.evidence === undefined ? null : canonicalJson(memory.evidence),
      anchors: memory.anchors === undefined ? null : canonicalJson(memory.anchors),
      scope: memory.scope ?? null,
      principal: memory.origin?.principal ?? null,
      machine: memory.origin?.machine.id ?? null,
      machine_name: memory.origin?.machine.name ?? null,
    })
    .returning('row_id')
    .executeTakeFirstOrThrow()
  await index.add(db, row_id, toSearchTerms(memory.content, canonicalJson(memory.tags)))
}

/** Rebuilds the index from the memories. */
export async function reindexMemories(db: Kysely<Tables>, index: MemoryIndex): Promise<void> {
  const rows = await db.selectFrom('memories').selectAll().execute()
  for (const row of intactRows(db, 'memories', rows))
    await index.add(db, row.row_id, toSearchTerms(row.content, row.tags))
}

async function remove(db: Kysely<Tables>, index: MemoryIndex, id: MemoryId): Promise<boolean> {
  const row = await find(db, id)
  if (row === undefined) return false
  await index.remove(db, row.row_id)
  await db.deleteFrom('memories').where('id', '=', id).execute()
  return true
}

export function memoryQueries(
  engine: Engine,
): Pick<
  Store,
  | 'saveMemory'
  | 'replaceMemory'
  | 'findMemory'
  | 'listMemories'
  | 'searchMemories'
  | 'searchWork'
  | 'recordHits'
  | 'deleteMemory'
> {
  const index = engine.memoryIndex
  const recent = createRecentMemories(engine.embeddings)
  return {
    saveMemory: (memory) => engine.write((db) => save(db, index, memory)),
    replaceMemory: (memory) =>
      engine.write(async (db) => {
        await remove(db, index, memory.id)
        await insert(db, index, memory)
      }),
    findMemory: (id) =>
      engine.read(async (db) => {
        const row = await find(db, id)
        return intactRows(db, 'memories', row === undefined ? [] : [row]).map(toMemory)[0]
      }),
    listMemories: ({
      projectId,
      isHereOnly,
      types,
      scope,
      orImportance,
      withoutTasks,
      includeSuperseded,
      afterMemory,
      limit,
    }) =>
      engine.read(async (db) => {
        if (types?.length === 0) return []
        let select = db.selectFrom('memories').selectAll()
        if (projectId !== undefined)
          select = select.where('project_id', 'in', isHereOnly ? [projectId] : await listReach(db, projectId))
        if (types !== undefined) {
          select = select.where((row) =>
            row.or([
              row('type', 'in', types),
              ...(orImportance === undefined ? [] : [row('importance', '>=', orImportance)]),
            ]),
          )
        }
        if (scope !== undefined) select = select.where(ofScope(scope))
        if (withoutTasks === true) select = select.where('source', '<>', TASK_SOURCE)
        if (includeSuperseded !== true) select = select.where('superseded_by', 'is', null)
        if (afterMemory !== undefined)
          select = select.where('row_id', '<', (before) =>
            before.selectFrom('memories').select('row_id').where('id', '=', afterMemory),
          )
        const rows = await select.orderBy('row_id', 'desc').limit(limit).execute()
        return intactRows(db, 'memories', rows).map(toMemory)
      }),
    searchWork: (query) => engine.read((db) => searchWork(db, engine, query)),
    searchMemories: (query) => engine.read((db) => searchMemories(db, { ...engine, recent }, query)),
    recordHits: async (ids, at) => {
      if (ids.length === 0) return
      await engine.write(
        async (db) => {
          await db
            .updateTable('memories')
            .set((row) => ({ hits: row('hits', '+', 1), last_hit_at: at }))
            .where('id', 'in', ids)
            .execute()
        },
        { isRepeatable: false },
      )
    },
    deleteMemory: (id) =>
      engine.write(async (db) => {
        await markDeleted(db, 'memory', [id])
        return await remove(db, index, id)
      }),
  }
}
