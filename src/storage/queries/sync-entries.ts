import type { SyncStore } from '../../kernel/ports/sync-store.ts'
import { intactRows } from '../rows/row-integrity.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { inSlices } from './rows/statements.ts'

export function syncQueries(engine: Engine): SyncStore {
  return {
    listSyncEntries: ({ topic, space, names }) =>
      engine.read(async (db) => {
        const select = db
          .selectFrom('sync_entries')
          .selectAll()
          .where('topic', '=', topic)
          .where('space', '=', space)
          .orderBy('name')
        const rows =
          names === undefined
            ? await select.execute()
            : await inSlices(names, (slice) => select.where('name', 'in', slice).execute())
        return intactRows(db, 'sync_entries', rows)
      }),
    writeSyncEntries: ({ saved = [], removed = [] }) =>
      engine.write(async (db) => {
        for (const { topic, space, name } of removed)
          await db
            .deleteFrom('sync_entries')
            .where('topic', '=', topic)
            .where('space', '=', space)
            .where('name', '=', name)
            .execute()
        await inSlices(saved, async (slice) => {
          await db
            .insertInto('sync_entries')
            .values(slice.map(({ topic, space, name, body }) => ({ topic, space, name, body })))
            .onConflict((conflict) =>
              conflict.columns(['topic', 'space', 'name']).doUpdateSet((row) => ({ body: row.ref('excluded.body') })),
            )
            .execute()
          return []
        })
      }),
    forgetSyncSpace: (space) =>
      engine.write(async (db) => {
        await db.deleteFrom('sync_entries').where('space', '=', space).execute()
      }),
  }
}
