import type { Entity } from '../../kernel/agent-records.ts'
import type { DoorStore } from '../../kernel/ports/agent-store.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { EntityRow } from '../rows/schema.ts'
import { soundRows } from '../rows/row-integrity.ts'

function entityOf(row: EntityRow): Entity {
  return {
    projectId: row.project_id,
    name: row.name,
    type: row.type,
    file: row.file,
    ...(row.line !== null && { line: row.line }),
    lastSeenAt: row.last_seen_at,
  }
}

export function entityQueries(engine: Engine): Pick<DoorStore, 'keepEntity' | 'deleteEntities' | 'listEntities'> {
  return {
    keepEntity: ({ projectId, name, type, file, line, lastSeenAt }) =>
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
        const { numDeletedRows } = await remove.executeTakeFirst()
        return Number(numDeletedRows)
      }),
    listEntities: ({ projectId, type, limit }) =>
      engine.read(async (db) => {
        let select = db.selectFrom('entities').selectAll().where('project_id', '=', projectId)
        if (type !== undefined) select = select.where('type', '=', type)
        const rows = await select.orderBy('type').orderBy('name').limit(limit).execute()
        return soundRows(db, 'entities', rows).map(entityOf)
      }),
  }
}
