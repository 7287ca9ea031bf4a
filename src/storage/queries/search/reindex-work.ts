import type { Kysely } from 'kysely'
import { readCheckpoint } from '../../rows/body.ts'
import type { TermIndex } from '../../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../../rows/schema.ts'
import { isSoundCheckpoint, soundRows } from '../../rows/row-integrity.ts'
import { inSlices } from '../rows/slices.ts'
import { summaryOf } from './summaries.ts'
import { keepSummaryWork, keepWorkOf } from './work-items.ts'

/** Of each: an upgrade must not keep a session waiting, and what is older than this many is asked for by nobody. */
const NEWEST = 5_000

/** Makes what can be searched of the work again from checkpoints and summaries, oldest first. */
export async function reindexWork(db: Kysely<Tables>, index: TermIndex<WorkItemRow>): Promise<void> {
  const newest = await db
    .selectFrom('session_checkpoints')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .groupBy(['session_id', 'name'])
    .orderBy('seq', 'desc')
    .limit(NEWEST)
    .execute()
  const seqs = newest.map(({ seq }) => seq).toReversed()
  const rows = await inSlices(seqs, (slice) =>
    db.selectFrom('session_checkpoints').select(['hash', 'body']).where('seq', 'in', slice).orderBy('seq').execute(),
  )
  for (const row of rows) if (isSoundCheckpoint(row)) await keepWorkOf(db, index, readCheckpoint(row.body))
  const summaries = await db.selectFrom('session_summaries').selectAll().orderBy('seq', 'desc').limit(NEWEST).execute()
  for (const row of soundRows(db, 'session_summaries', summaries.toReversed())) {
    await keepSummaryWork(db, index, summaryOf(row))
  }
}
