import type { Kysely } from 'kysely'
import type { SessionId } from '../../kernel/id.ts'
import type { PrunePolicy } from '../../kernel/ports/ports.ts'
import type { TermIndex } from '../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../rows/schema.ts'
import { recount } from './rows/checkpoint-counts.ts'
import { cutoffOf } from './rows/retention.ts'
import { inSlices } from './rows/slices.ts'
import { forgetWorkOf } from './search/work-items.ts'

interface Doomed {
  readonly seq: number
  readonly session_id: SessionId
}

type Index = TermIndex<WorkItemRow>

async function remove(db: Kysely<Tables>, index: Index, doomed: readonly Doomed[]): Promise<number> {
  await forgetWorkOf(
    db,
    index,
    doomed.map(({ seq }) => seq),
  )
  await inSlices(doomed, async (slice) => {
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
    doomed.map(({ session_id }) => session_id),
  )
  return doomed.length
}

interface Pruning {
  readonly db: Kysely<Tables>
  readonly index: Index
}

/**
 * The first, by order of arrival, that is within its days. One that came after it is no older, whatever the clock said then. A time
 * that is yet to come says nothing.
 */
async function firstYoung(db: Kysely<Tables>, policy: PrunePolicy): Promise<number> {
  const { seq } = await db
    .selectFrom('session_checkpoints')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('prune_rank', 'in', [0, 1, 2])
    .where('created_at', '>=', cutoffOf(policy))
    .where('created_at', '<=', policy.now)
    .executeTakeFirstOrThrow()
  return seq ?? Number.MAX_SAFE_INTEGER
}

async function removeExpired(
  { db, index }: Pruning,
  policy: PrunePolicy,
  { rank, room, beforeSeq }: { rank: number; room: number; beforeSeq: number },
): Promise<number> {
  const doomed = await db
    .selectFrom('session_checkpoints')
    .select(['seq', 'session_id'])
    .where('prune_rank', '=', rank)
    .where('created_at', '<', cutoffOf(policy))
    .where('seq', '<', beforeSeq)
    .orderBy('created_at')
    .limit(room)
    .execute()
  return await remove(db, index, doomed)
}

async function removeExcess({ db, index }: Pruning, policy: PrunePolicy, room: number): Promise<number> {
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
    const doomed = await db
      .selectFrom('session_checkpoints')
      .select(['seq', 'session_id'])
      .where('session_id', '=', session_id)
      .where('prune_rank', '>', 0)
      .orderBy('prune_rank')
      .orderBy('seq')
      .limit(Math.min(total - policy.maxPerSession, room - removed))
      .execute()
    removed += await remove(db, index, doomed)
  }
  return removed
}

/** One slice: what is too old, periodic before the rest, then what is too much. Runs inside one transaction. */
export async function pruneCheckpoints(db: Kysely<Tables>, index: Index, policy: PrunePolicy): Promise<number> {
  const pruning = { db, index }
  const beforeSeq = await firstYoung(db, policy)
  let removed = 0
  for (const rank of [1, 2])
    removed += await removeExpired(pruning, policy, { rank, room: policy.sliceRows - removed, beforeSeq })
  if (removed < policy.sliceRows) removed += await removeExcess(pruning, policy, policy.sliceRows - removed)
  return removed
}
