import type { Store } from '../../kernel/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { soundRows } from '../rows/row-integrity.ts'

export function workQueries(engine: Engine): Pick<Store, 'saveWork' | 'findWork'> {
  return {
    saveWork: (snapshot) =>
      engine.write(async (db) => {
        const values = {
          event_seq: snapshot.eventSeq,
          transcript_offset: snapshot.transcriptOffset,
          state: snapshot.state,
        }
        await db
          .insertInto('work_snapshots')
          .values({ session_id: snapshot.sessionId, ...values })
          .onConflict((conflict) => conflict.column('session_id').doUpdateSet(values))
          .execute()
      }),
    findWork: (id) =>
      engine.read(async (db) => {
        const rows = await db.selectFrom('work_snapshots').selectAll().where('session_id', '=', id).execute()
        const [row] = soundRows(db, 'work_snapshots', rows)
        if (row === undefined) return undefined
        return {
          sessionId: row.session_id,
          eventSeq: row.event_seq,
          transcriptOffset: row.transcript_offset,
          state: row.state,
        }
      }),
  }
}
