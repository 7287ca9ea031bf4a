// Which events and checkpoints are deleted by age. How long they stay: src/kernel/config.ts. When: src/retention/pruning.ts.
import type { Kysely } from 'kysely'
import type { SessionId } from '../../kernel/id.ts'
import { isOver } from '../../kernel/ports/liveness.ts'
import type { PrunePolicy, RetentionPolicy } from '../../kernel/ports/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables } from '../rows/schema.ts'
import { recount } from './rows/checkpoint-row.ts'
import { inSlices } from './rows/statements.ts'
import { deleteCheckpointWork, type WorkItemIndex } from './search/work-items.ts'
import type { Session } from '../../kernel/session.ts'
import { lockHead, moveAnchor, readAnchor } from './rows/log-head.ts'
import { loadSessions } from './sessions.ts'

function mayStillBeWorkedIn(session: Session | undefined, cutoff: string): boolean {
  return session !== undefined && !isOver(session) && session.lastEventAt >= cutoff
}

/** Prunes one batch from the start of the log. Runs inside one transaction, so the anchor always matches the log. */
export async function pruneEvents(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'hasRowLocks' | 'serverNow'>,
  given: RetentionPolicy,
): Promise<number> {
  await lockHead(db, engine)
  const policy = await useEarlierClock(db, engine, given)
  const anchor = await readAnchor(db)
  const oldest = await db
    .selectFrom('events')
    .select(['seq', 'session_id', 'at', 'hash'])
    .where('seq', '>', anchor.seq)
    .orderBy('seq')
    .limit(policy.sliceRows)
    .execute()
  const cutoff = getCutoff(policy)
  const sessions = await loadSessions(db, [...new Set(oldest.map(({ session_id }) => session_id))])
  // A time in the future says nothing about age: such an event is pruned with a later old one and blocks none.
  const isMistimed = (at: string) => at > policy.now
  const firstToStay = oldest.findIndex(
    ({ at, session_id }) => (at >= cutoff && !isMistimed(at)) || mayStillBeWorkedIn(sessions.get(session_id), cutoff),
  )
  const passed = firstToStay === -1 ? oldest : oldest.slice(0, firstToStay)
  const expired = passed.slice(0, passed.findLastIndex(({ at }) => !isMistimed(at)) + 1)
  const last = expired.at(-1)
  if (last === undefined) return 0
  await db.deleteFrom('events').where('seq', '>', anchor.seq).where('seq', '<=', last.seq).execute()
  await moveAnchor(db, { seq: last.seq, hash: last.hash })
  return expired.length
}

const DAY_MS = 86_400_000

/** Rows older than this may be pruned. */
export function getCutoff({ now, retentionDays }: Pick<RetentionPolicy, 'now' | 'retentionDays'>): string {
  return new Date(Date.parse(now) - retentionDays * DAY_MS).toISOString()
}

/**
 * Uses the earlier of two clocks when the database is on another machine: one of the clients of a shared store may have a wrong
 * clock, and it would delete the data of all.
 */
export async function useEarlierClock<Policy extends RetentionPolicy>(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'serverNow'>,
  policy: Policy,
): Promise<Policy> {
  const serverNow = await engine.serverNow(db)
  return serverNow === undefined || serverNow > policy.now ? policy : { ...policy, now: serverNow }
}

interface PrunableRow {
  readonly seq: number
  readonly session_id: SessionId
}

async function remove(db: Kysely<Tables>, index: WorkItemIndex, expired: readonly PrunableRow[]): Promise<number> {
  await deleteCheckpointWork(
    db,
    index,
    expired.map(({ seq }) => seq),
  )
  await inSlices(expired, async (slice) => {
    await db
      .deleteFrom('session_checkpoints')
      .where(
        'seq',
        'in',
        slice.map(({ seq }) => seq),
      )
      .execute()
    return []
  })
  await recount(
    db,
    expired.map(({ session_id }) => session_id),
  )
  return expired.length
}

interface PruneContext {
  readonly db: Kysely<Tables>
  readonly index: WorkItemIndex
}

/**
 * The first row, by order of arrival, that is young enough. Later rows are not older, whatever the clock said then. A time
 * in the future does not count.
 */
async function firstYoung(db: Kysely<Tables>, policy: PrunePolicy): Promise<number> {
  const { seq } = await db
    .selectFrom('session_checkpoints')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('prune_rank', 'in', [0, 1, 2])
    .where('created_at', '>=', getCutoff(policy))
    .where('created_at', '<=', policy.now)
    .executeTakeFirstOrThrow()
  return seq ?? Number.MAX_SAFE_INTEGER
}

async function removeExpired(
  { db, index }: PruneContext,
  policy: PrunePolicy,
  { rank, room, beforeSeq }: { rank: number; room: number; beforeSeq: number },
): Promise<number> {
  const expired = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'session_id'])
    .where('prune_rank', '=', rank)
    .where('created_at', '<', getCutoff(policy))
    .where('seq', '<', beforeSeq)
    .orderBy('created_at')
    .limit(room)
    .execute()
  return await remove(db, index, expired)
}

/** Periodic checkpoints first; those that never expire stay. */
async function removeOldest({ db, index }: PruneContext, sessionId: SessionId, count: number): Promise<number> {
  const expired = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'session_id'])
    .where('session_id', '=', sessionId)
    .where('prune_rank', '>', 0)
    .orderBy('prune_rank')
    .orderBy('seq')
    .limit(count)
    .execute()
  return await remove(db, index, expired)
}

/** Applies the limit to one session. */
export async function limitSession(pruning: PruneContext, sessionId: SessionId, maxPerSession: number): Promise<void> {
  const counts = await pruning.db
    .selectFrom('checkpoint_counts')
    .select('total')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  const excess = (counts?.total ?? 0) - maxPerSession
  if (excess > 0) await removeOldest(pruning, sessionId, excess)
}

async function removeExcess({ db, index }: PruneContext, policy: PrunePolicy, room: number): Promise<number> {
  const crowded = await db
    .selectFrom('checkpoint_counts')
    .select(['session_id', 'total'])
    .where('total', '>', policy.maxPerSession)
    .where('prunable', '>', 0)
    .limit(room)
    .execute()
  let removed = 0
  for (const { session_id, total } of crowded) {
    if (removed >= room) break
    const count = Math.min(total - policy.maxPerSession, room - removed)
    removed += await removeOldest({ db, index }, session_id, count)
  }
  return removed
}

/** Prunes one batch: expired checkpoints, periodic ones first, then those over the limit. Runs inside one transaction. */
export async function pruneCheckpoints(db: Kysely<Tables>, index: WorkItemIndex, policy: PrunePolicy): Promise<number> {
  const pruning = { db, index }
  const beforeSeq = await firstYoung(db, policy)
  let removed = 0
  for (const rank of [1, 2])
    removed += await removeExpired(pruning, policy, { rank, room: policy.sliceRows - removed, beforeSeq })
  if (removed < policy.sliceRows) removed += await removeExcess(pruning, policy, policy.sliceRows - removed)
  return removed
}
