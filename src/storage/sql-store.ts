import type { Store } from '../core/ports.ts'
import type { Engine } from './engine.ts'
import { checklistRecordQueries } from './queries/checklist-records.ts'
import { checkpointQueries } from './queries/checkpoints.ts'
import { entityQueries } from './queries/entities.ts'
import { eventQueries } from './queries/events.ts'
import { injectionQueries } from './queries/injections.ts'
import { intentQueries } from './queries/intents.ts'
import { memoryQueries } from './queries/memories.ts'
import { projectQueries } from './queries/projects.ts'
import { sessionQueries } from './queries/sessions.ts'
import { sightingQueries } from './queries/sightings.ts'
import { summaryQueries } from './queries/summaries.ts'
import { verify } from './queries/verify.ts'
import { workQueries } from './queries/work.ts'

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
