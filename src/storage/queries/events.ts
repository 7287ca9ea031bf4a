import type { Kysely } from 'kysely'
import { HoldfastError } from '../../kernel/errors.ts'
import type { StoredEvent } from '../../kernel/event.ts'
import type { Appended, EventQuery, Store } from '../../kernel/ports.ts'
import { readEvent } from '../rows/body.ts'
import { noteDamage } from '../rows/damage-notes.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { createGroupCommit } from '../rows/group-commit.ts'
import type { EventRow, Tables } from '../rows/schema.ts'
import { isSoundEvent } from '../rows/row-integrity.ts'
import { storableText } from '../rows/storable.ts'
import { appendAll, seqsOf, type AppendCall } from './append.ts'
import { pruneEvents } from './prune-events.ts'
import { readSound } from './rows/slices.ts'

/** Calls in one transaction: enough that a sync of the disk is shared, few enough that none waits long for the rest. */
const MAX_CALLS_PER_COMMIT = 256

function storedEventOf(db: Kysely<Tables>, row: EventRow): StoredEvent | undefined {
  if (isSoundEvent(row)) return { seq: row.seq, event: readEvent(row.body), hash: row.hash }
  noteDamage(db, { table: 'events', key: String(row.seq) })
  return undefined
}

async function pageOf(
  db: Kysely<Tables>,
  query: EventQuery,
  afterSeq: number,
  count: number,
): Promise<readonly EventRow[]> {
  const { sessionId, kinds } = query
  let select = db.selectFrom('events').selectAll().where('seq', '>', afterSeq)
  if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
  if (kinds !== undefined) select = select.where('kind', 'in', kinds)
  return await select.orderBy('seq').limit(count).execute()
}

export function eventQueries(
  engine: Engine,
): Pick<Store, 'append' | 'listEvents' | 'knownEvents' | 'lastSeq' | 'pruneEvents'> {
  const append = createGroupCommit<AppendCall, readonly Appended[]>({
    commit: (calls) => engine.write((db) => appendAll(db, engine, calls)),
    maxCalls: MAX_CALLS_PER_COMMIT,
    // A database that is away is away for each of them too.
    isWorthSplitting: (thrown) => !(thrown instanceof HoldfastError && thrown.code === 'store-unavailable'),
  })
  return {
    append: async (entries, cadence) => (entries.length === 0 ? [] : await append({ entries, cadence })),
    listEvents: async (query) => {
      if (query.kinds?.length === 0) return []
      return await engine.read((db) =>
        readSound<EventRow, StoredEvent>(
          query.limit,
          (after, count) => pageOf(db, query, after?.seq ?? query.afterSeq ?? 0, count),
          (row) => storedEventOf(db, row),
        ),
      )
    },
    knownEvents: (ids) =>
      engine.read(async (db) => {
        const seqs = await seqsOf(db, ids)
        return ids.filter((id) => seqs.has(storableText(id)))
      }),
    lastSeq: () =>
      engine.read(async (db) => {
        const head = await db.selectFrom('log_head').select('seq').where('id', '=', 1).executeTakeFirst()
        return head?.seq ?? 0
      }),
    pruneEvents: (policy) => engine.write((db) => pruneEvents(db, engine, policy)),
  }
}
