import { sql } from 'kysely'
import type { Memory, MemoryDraft } from '../../kernel/memory.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { Tables } from '../rows/schema.ts'
import { sealBody } from '../rows/body.ts'
import { isIntactCheckpoint } from '../rows/row-integrity.ts'
import { markDeleted } from './rows/deleted-records.ts'
import { listReach } from './rows/reach.ts'
import { noteDamage, type Engine } from '../rows/sql-engine.ts'

function toDraft(row: Pick<Tables['memory_drafts'], 'state' | 'at' | 'body'>): MemoryDraft {
  return { state: row.state, at: row.at, memory: readMemory(row.body) }
}

function readMemory(body: string): Memory {
  return JSON.parse(body)
}

export function memoryDraftQueries(
  engine: Engine,
): Pick<Store, 'saveDraft' | 'findDraft' | 'listDrafts' | 'deleteDraft' | 'pruneDrafts' | 'findIds'> {
  return {
    saveDraft: ({ state, at, memory }) =>
      engine.write(async (db) => {
        if (state !== 'proposed') await markDeleted(db, 'memory', [memory.id])
        const changeable = { state, at, ...sealBody(memory) }
        await db
          .insertInto('memory_drafts')
          .values({
            id: memory.id,
            project_id: memory.projectId,
            session_id: memory.sessionId ?? null,
            ...changeable,
          })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(changeable))
          .execute()
      }),
    listDrafts: ({ projectId, states }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('memory_drafts').selectAll()
        if (projectId !== undefined) select = select.where('project_id', 'in', await listReach(db, projectId))
        if (states !== undefined) select = select.where('state', 'in', states)
        const rows = await select.orderBy('row_id', 'desc').execute()
        return rows.flatMap((row) => {
          if (isIntactCheckpoint(row)) return [toDraft(row)]
          noteDamage(db, { table: 'memory_drafts', key: String(row.id) })
          return []
        })
      }),
    findDraft: (id) =>
      engine.read(async (db) => {
        const row = await db.selectFrom('memory_drafts').selectAll().where('id', '=', id).executeTakeFirst()
        return row !== undefined && isIntactCheckpoint(row) ? toDraft(row) : undefined
      }),
    deleteDraft: (id) =>
      engine.write(async (db) => {
        const deleted = await db.deleteFrom('memory_drafts').where('id', '=', id).returning('id').executeTakeFirst()
        return deleted !== undefined
      }),
    pruneDrafts: (before) =>
      engine.write(async (db) => {
        const deleted = await db
          .deleteFrom('memory_drafts')
          .where('state', '<>', 'proposed')
          .where('at', '<', before)
          .returning('id')
          .execute()
        return deleted.length
      }),
    findIds: (items, beginning, limit) =>
      engine.read(async (db) => {
        const table = sql.table(items === 'memory' ? 'memories' : 'session_checkpoints')
        const literal = beginning.replace(/[\\%_]/g, (character) => `\\${character}`)
        const { rows } = await sql<{ id: string }>`
          select id from ${table} where id like ${`${literal}%`} escape '\\' or id like ${`%-${literal}%`} escape '\\'
          order by id desc limit ${limit}`.execute(db)
        return rows.map(({ id }) => id)
      }),
  }
}
