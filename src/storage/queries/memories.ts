import type { Kysely } from 'kysely'
import { HoldfastError } from '../../core/errors.ts'
import type { MemoryId } from '../../core/id.ts'
import type { Memory, MemoryHit } from '../../core/memory.ts'
import type { MemorySearch, Store } from '../../core/ports.ts'
import { canonicalJson } from '../body.ts'
import type { Engine, MemoryIndex } from '../engine.ts'
import { rankItems } from '../../core/recall/rank.ts'
import { SAID } from '../../core/recall/weights.ts'
import type { MemoryRow, Tables } from '../schema.ts'
import { evidenceOf, soundRows, stringsOf } from '../sound-rows.ts'
import { queryTermsOf, termsOf } from '../../core/terms.ts'

/** How many of the database's best are ranked by our own rule. */
const CANDIDATES = 200

function memoryOf(row: MemoryRow): Memory {
  const evidence = evidenceOf(row.evidence)
  return {
    id: row.id,
    projectId: row.project_id,
    type: row.type,
    content: row.content,
    importance: row.importance,
    tags: stringsOf(row.tags),
    source: row.source,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    createdAt: row.created_at,
    ...(row.supersedes !== null && { supersedes: row.supersedes }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    hits: row.hits,
    ...(row.last_hit_at !== null && { lastHitAt: row.last_hit_at }),
    ...(evidence !== undefined && { evidence }),
  }
}

function searchTermsOf(memory: Pick<Memory, 'content' | 'tags'>): readonly string[] {
  return termsOf(`${memory.content} ${memory.tags.join(' ')}`)
}

async function find(db: Kysely<Tables>, id: MemoryId): Promise<MemoryRow | undefined> {
  return await db.selectFrom('memories').selectAll().where('id', '=', id).executeTakeFirst()
}

async function supersede(db: Kysely<Tables>, memory: Memory, older: MemoryId): Promise<void> {
  const row = await find(db, older)
  if (row === undefined || row.project_id !== memory.projectId) {
    throw new HoldfastError('not-found', `No memory ${older} in this project to supersede.`, {
      hint: 'Run `holdfast recall` to see the current memories and their ids.',
    })
  }
  // One statement decides, so that of two that come at once only one wins.
  const taken = await db
    .updateTable('memories')
    .set({ superseded_by: memory.id })
    .where('id', '=', older)
    .where('superseded_by', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (taken !== undefined) return
  const newer = (await find(db, older))?.superseded_by ?? 'another'
  throw new HoldfastError('conflict', `Memory ${older} is already superseded by ${newer}.`, {
    hint: `Supersede ${newer} instead.`,
  })
}

async function keep(db: Kysely<Tables>, index: MemoryIndex, memory: Memory): Promise<void> {
  if ((await find(db, memory.id)) !== undefined) return
  if (memory.supersedes !== undefined) await supersede(db, memory, memory.supersedes)
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
    })
    .returning('row_id')
    .executeTakeFirstOrThrow()
  await index.add(db, row_id, searchTermsOf(memory))
}

/** Makes the index again from the memories, after it was lost. */
export async function reindexMemories(db: Kysely<Tables>, index: MemoryIndex): Promise<void> {
  const rows = await db.selectFrom('memories').selectAll().execute()
  for (const row of soundRows(db, 'memories', rows)) await index.add(db, row.row_id, searchTermsOf(memoryOf(row)))
}

async function remove(db: Kysely<Tables>, index: MemoryIndex, id: MemoryId): Promise<boolean> {
  const row = await find(db, id)
  if (row === undefined) return false
  await index.remove(db, row.row_id)
  await db.deleteFrom('memories').where('id', '=', id).execute()
  return true
}

async function search(db: Kysely<Tables>, index: MemoryIndex, query: MemorySearch): Promise<readonly MemoryHit[]> {
  const terms = queryTermsOf(query.text)
  if (terms.length === 0 || query.types?.length === 0) return []
  const { projectId, types } = query
  const rows = await index.match(db, { projectId, types, terms, limit: CANDIDATES })
  const candidates = soundRows(db, 'memories', rows)
    .toSorted((a, b) => b.row_id - a.row_id)
    .map((row) => {
      const memory = memoryOf(row)
      const { importance, hits, sessionId } = memory
      return { memory, importance, hits, session: sessionId, place: row.row_id, terms: searchTermsOf(memory) }
    })
  return rankItems(terms, candidates, SAID)
    .slice(0, query.limit)
    .map(({ item, score, coverage }) => ({ memory: item.memory, score, coverage }))
}

export function memoryQueries(
  engine: Engine,
): Pick<Store, 'keepMemory' | 'findMemory' | 'listMemories' | 'searchMemories' | 'recordHits' | 'deleteMemory'> {
  const index = engine.memoryIndex
  return {
    keepMemory: (memory) => engine.write((db) => keep(db, index, memory)),
    findMemory: (id) =>
      engine.read(async (db) => {
        const row = await find(db, id)
        return soundRows(db, 'memories', row === undefined ? [] : [row]).map(memoryOf)[0]
      }),
    listMemories: ({ projectId, types, includeSuperseded = false, limit }) =>
      engine.read(async (db) => {
        if (types?.length === 0) return []
        let select = db.selectFrom('memories').selectAll()
        if (projectId !== undefined) select = select.where('project_id', '=', projectId)
        if (types !== undefined) select = select.where('type', 'in', types)
        if (!includeSuperseded) select = select.where('superseded_by', 'is', null)
        const rows = await select.orderBy('row_id', 'desc').limit(limit).execute()
        return soundRows(db, 'memories', rows).map(memoryOf)
      }),
    searchMemories: (query) => engine.read((db) => search(db, index, query)),
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
    deleteMemory: (id) => engine.write((db) => remove(db, index, id)),
  }
}
