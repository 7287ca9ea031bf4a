import type { Kysely } from 'kysely'
import { HoldfastError } from '../../kernel/errors.ts'
import type { StoredEvent } from '../../kernel/event.ts'
import type { AppendResult, Store } from '../../kernel/ports/ports.ts'
import type { EventQuery } from '../../kernel/ports/store-queries.ts'
import { ERASED_BODY, readEvent } from '../rows/body.ts'
import { noteDamage } from '../rows/sql-engine.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { EventRow, Tables } from '../rows/schema.ts'
import { isIntactEvent } from '../rows/row-integrity.ts'
import { storableText } from '../rows/sql-engine.ts'
import { appendAll, findSeqs, type AppendCall } from './append.ts'
import { pruneEvents } from './retention.ts'
import { readIntact } from './rows/statements.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

interface GroupCommitOptions<Call, Result> {
  /** Commits all calls in one transaction; returns a result for each. */
  readonly commit: (calls: readonly Call[]) => Promise<readonly Result[]>
  readonly maxCalls: number
  /** Whether retrying each call alone could succeed. */
  readonly isWorthSplitting: (thrown: unknown) => boolean
}

interface PendingCall<Call, Result> {
  readonly call: Call
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Calls that arrive during a commit share the next one: under load, one disk sync serves many. A call
 * resolves only after its commit. When a group fails, its calls are retried one by one, so that only the faulty call fails.
 */
export function createGroupCommit<Call, Result>(
  options: GroupCommitOptions<Call, Result>,
): (call: Call) => Promise<Result> {
  let waiting: PendingCall<Call, Result>[] = []
  let isRunning = false
  // A synchronous database never leaves the microtask queue: without yielding, every group would have one call.
  // Single calls do not wait for this.
  let isQuiet = true

  async function commitOne({ call, resolve, reject }: PendingCall<Call, Result>): Promise<void> {
    try {
      const [result] = await options.commit([call])
      if (result === undefined) throw new Error('A commit returned fewer results than it had calls.')
      resolve(result)
    } catch (thrown) {
      reject(thrown)
    }
  }

  async function commitGroup(group: readonly PendingCall<Call, Result>[]): Promise<void> {
    try {
      const results = await options.commit(group.map(({ call }) => call))
      if (results.length !== group.length) throw new Error('A commit returned fewer results than it had calls.')
      for (const [index, { resolve }] of group.entries()) {
        const result = results[index]
        if (result !== undefined) resolve(result)
      }
    } catch (thrown) {
      if (options.isWorthSplitting(thrown)) for (const member of group) await commitOne(member)
      else for (const { reject } of group) reject(thrown)
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      await (isQuiet ? undefined : nextTurn())
      isQuiet = false
      const group = waiting.slice(0, options.maxCalls)
      waiting = waiting.slice(options.maxCalls)
      const [only] = group
      if (group.length === 1 && only !== undefined) {
        await commitOne(only)
        setImmediate(() => {
          isQuiet = true
        })
      } else await commitGroup(group)
    }
    isRunning = false
  }

  return (call) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ call, resolve, reject })
      if (!isRunning) void run()
    })
}

/** Calls in one transaction: enough to share a disk sync, few enough that none waits long. */
const MAX_CALLS_PER_COMMIT = 256

function toStoredEvent(db: Kysely<Tables>, row: EventRow): StoredEvent | undefined {
  if (row.body === ERASED_BODY) return undefined
  if (isIntactEvent(row)) return { seq: row.seq, event: readEvent(row.body), hash: row.hash }
  noteDamage(db, { table: 'events', key: String(row.seq) })
  return undefined
}

async function readPage(
  db: Kysely<Tables>,
  query: EventQuery,
  last: number | undefined,
  count: number,
): Promise<readonly EventRow[]> {
  const { sessionId, kinds, isNewestFirst = false } = query
  const afterSeq = (isNewestFirst ? undefined : last) ?? query.afterSeq ?? 0
  const beforeSeq = (isNewestFirst ? last : undefined) ?? query.beforeSeq
  let select = db.selectFrom('events').selectAll().where('seq', '>', afterSeq)
  if (beforeSeq !== undefined) select = select.where('seq', '<', beforeSeq)
  if (sessionId !== undefined) select = select.where('session_id', '=', sessionId)
  if (kinds !== undefined) select = select.where('kind', 'in', kinds)
  return await select
    .orderBy('seq', isNewestFirst ? 'desc' : 'asc')
    .limit(count)
    .execute()
}

export function eventQueries(
  engine: Engine,
): Pick<Store, 'append' | 'listEvents' | 'knownEvents' | 'lastSeq' | 'pruneEvents'> {
  const append = createGroupCommit<AppendCall, readonly AppendResult[]>({
    commit: (calls) => engine.write((db) => appendAll(db, engine, calls)),
    maxCalls: MAX_CALLS_PER_COMMIT,
    // An unreachable database fails each of them too.
    isWorthSplitting: (thrown) => !(thrown instanceof HoldfastError && thrown.code === 'store-unavailable'),
  })
  return {
    append: async (entries, cadence) => (entries.length === 0 ? [] : await append({ entries, cadence })),
    listEvents: async (query) => {
      if (query.kinds?.length === 0) return []
      return await engine.read((db) =>
        readIntact<EventRow, StoredEvent>(
          query.limit,
          (last, count) => readPage(db, query, last?.seq, count),
          (row) => toStoredEvent(db, row),
        ),
      )
    },
    knownEvents: (ids) =>
      engine.read(async (db) => {
        const seqs = await findSeqs(db, ids)
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
