import { sql } from 'kysely'
import type { Store } from '../../kernel/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { soundRows } from '../rows/row-integrity.ts'

export function sightingQueries(engine: Engine): Pick<Store, 'recordSighting' | 'listSightings'> {
  return {
    recordSighting: ({ harness, harnessVersion, hook, at, count = 1 }) =>
      engine.write(
        async (db) => {
          await db
            .insertInto('sightings')
            .values({ harness, harness_version: harnessVersion, hook, count, last_seen_at: at })
            .onConflict((conflict) =>
              conflict.columns(['harness', 'harness_version', 'hook']).doUpdateSet({
                count: sql`sightings.count + excluded.count`,
                last_seen_at: sql`case when sightings.last_seen_at > excluded.last_seen_at then sightings.last_seen_at else excluded.last_seen_at end`,
              }),
            )
            .execute()
        },
        { isRepeatable: false },
      ),
    listSightings: (harness) =>
      engine.read(async (db) => {
        let select = db.selectFrom('sightings').selectAll()
        if (harness !== undefined) select = select.where('harness', '=', harness)
        const rows = await select.orderBy('harness').orderBy('harness_version').orderBy('hook').execute()
        return soundRows(db, 'sightings', rows).map((row) => ({
          harness: row.harness,
          harnessVersion: row.harness_version,
          hook: row.hook,
          count: row.count,
          lastSeenAt: row.last_seen_at,
        }))
      }),
  }
}
