import { checklistRecordQueries, entityQueries, intentQueries, projectQueries } from './agent-records.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { archiveQueries } from './search/archive.ts'
import { eraseQueries } from './erase.ts'
import { checkpointQueries } from './checkpoints.ts'
import { eventQueries } from './events.ts'
import { injectionQueries } from './injections.ts'
import { memoryDraftQueries } from './memory-drafts.ts'
import { memoryQueries } from './search/memories.ts'
import { recordQueries } from './records.ts'
import { ruleQueries } from './rules.ts'
import { sessionQueries } from './sessions.ts'
import { summaryQueries } from './search/summaries.ts'
import { syncQueries } from './sync-entries.ts'
import { verify } from './verify.ts'
import { intactRows } from '../rows/row-integrity.ts'
import { sql } from 'kysely'

function sightingQueries(engine: Engine): Pick<Store, 'recordSighting' | 'listSightings'> {
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
        return intactRows(db, 'sightings', rows).map((row) => ({
          harness: row.harness,
          harnessVersion: row.harness_version,
          hook: row.hook,
          count: row.count,
          lastSeenAt: row.last_seen_at,
        }))
      }),
  }
}

function workQueries(engine: Engine): Pick<Store, 'saveWork' | 'findWork'> {
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
        const [row] = intactRows(db, 'work_snapshots', rows)
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

const COUNTED = ['events', 'sessions', 'session_checkpoints', 'memories'] as const

async function counts(engine: Engine) {
  return await engine.read(async (db) => {
    const rows = COUNTED.map(async (table) => {
      const { total } = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    })
    const [events = 0, sessions = 0, checkpoints = 0, memories = 0] = await Promise.all(rows)
    return { events, sessions, checkpoints, memories }
  })
}

/** The store on top of an engine, which is all that differs between databases. */
export function createSqlStore(engine: Engine): Store {
  return {
    ...eventQueries(engine),
    ...sessionQueries(engine),
    ...checkpointQueries(engine),
    ...memoryQueries(engine),
    ...memoryDraftQueries(engine),
    ...archiveQueries(engine),
    ...eraseQueries(engine),
    ...workQueries(engine),
    ...injectionQueries(engine),
    ...sightingQueries(engine),
    ...projectQueries(engine),
    ...intentQueries(engine),
    ...entityQueries(engine),
    ...summaryQueries(engine),
    ...checklistRecordQueries(engine),
    ...ruleQueries(engine),
    ...recordQueries(engine),
    ...syncQueries(engine),
    describe: () => engine.describe(),
    counts: () => counts(engine),
    verify: () => verify(engine),
    backup: (path) => engine.backup(path),
    [Symbol.asyncDispose]: () => engine.close(),
  }
}
