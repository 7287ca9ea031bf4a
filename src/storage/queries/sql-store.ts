import type { Store } from '../../kernel/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { checklistRecordQueries } from './checklist-records.ts'
import { checkpointQueries } from './checkpoints.ts'
import { entityQueries } from './entities.ts'
import { eventQueries } from './events.ts'
import { injectionQueries } from './injections.ts'
import { intentQueries } from './intents.ts'
import { memoryQueries } from './search/memories.ts'
import { projectQueries } from './projects.ts'
import { sessionQueries } from './sessions.ts'
import { sightingQueries } from './sightings.ts'
import { summaryQueries } from './search/summaries.ts'
import { verify } from './verify.ts'
import { workQueries } from './work.ts'

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

/** The store, written once: the engine is all that differs between databases. */
export function createSqlStore(engine: Engine): Store {
  return {
    ...eventQueries(engine),
    ...sessionQueries(engine),
    ...checkpointQueries(engine),
    ...memoryQueries(engine),
    ...workQueries(engine),
    ...injectionQueries(engine),
    ...sightingQueries(engine),
    ...projectQueries(engine),
    ...intentQueries(engine),
    ...entityQueries(engine),
    ...summaryQueries(engine),
    ...checklistRecordQueries(engine),
    describe: () => engine.describe(),
    counts: () => counts(engine),
    verify: () => verify(engine),
    backup: (path) => engine.backup(path),
    [Symbol.asyncDispose]: () => engine.close(),
  }
}
