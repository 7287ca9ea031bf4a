import { sql, type Kysely } from 'kysely'
import type { RetentionPolicy } from '../../kernel/ports.ts'
import type { Tables } from '../rows/schema.ts'
import { readAnchor } from './rows/log-head.ts'
import { cutoffOf } from './rows/retention.ts'
import { changeSession } from './sessions.ts'
import { inSlices } from './rows/slices.ts'

async function removeInjections(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  // What came after one that is within its days is no older, whatever the clock said then.
  const young = await db
    .selectFrom('injections')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('at', '>=', cutoffOf(policy))
    .where('at', '<=', policy.now)
    .executeTakeFirstOrThrow()
  const doomed = await db
    .selectFrom('injections')
    .select('seq')
    .where('at', '<', cutoffOf(policy))
    .where('seq', '<', young.seq ?? Number.MAX_SAFE_INTEGER)
    .orderBy('at')
    .limit(policy.sliceRows)
    .execute()
  await inSlices(doomed, (slice) =>
    db
      .deleteFrom('injections')
      .where(
        'seq',
        'in',
        slice.map(({ seq }) => seq),
      )
      .returning('seq')
      .execute(),
  )
  return doomed.length
}

async function removeReceipts(db: Kysely<Tables>, policy: RetentionPolicy, room: number): Promise<number> {
  const doomed = await db
    .selectFrom('receipts')
    .select(['session_id', 'epoch'])
    .where('started_at', '<', cutoffOf(policy))
    .orderBy('started_at')
    .limit(room)
    .execute()
  for (const { session_id, epoch } of doomed) {
    await db.deleteFrom('receipts').where('session_id', '=', session_id).where('epoch', '=', epoch).execute()
  }
  return doomed.length
}

/**
 * Where the transcript was read to stays: a session that is resumed after all must not have its old lines taken for new.
 * What never became a checkpoint has no events left to become one from, so nothing is owed for it any more.
 */
async function emptyWork(db: Kysely<Tables>, room: number): Promise<number> {
  const anchor = await readAnchor(db)
  const done = await db
    .selectFrom('work_snapshots as work')
    .innerJoin('sessions', 'sessions.id', 'work.session_id')
    .select('work.session_id')
    .where('work.event_seq', '<=', anchor.seq)
    // In so many words, because only then is the index of those with a state used.
    .where(sql<boolean>`work.state <> ''`)
    .where('sessions.last_event_seq', '<=', anchor.seq)
    .where('sessions.phase', 'in', ['ended', 'interrupted'])
    .limit(room)
    .execute()
  for (const { session_id } of done) {
    await db.updateTable('work_snapshots').set({ state: '' }).where('session_id', '=', session_id).execute()
    await changeSession(db, session_id, (session) => ({ ...session, hasNewWork: false }))
  }
  return done.length
}

/** One slice of what goes with the events. Runs inside one transaction. */
export async function pruneLedgers(db: Kysely<Tables>, policy: RetentionPolicy): Promise<number> {
  const injections = await removeInjections(db, policy)
  const room = policy.sliceRows - injections
  const removed = injections + (room > 0 ? await removeReceipts(db, policy, room) : 0)
  return removed + (removed < policy.sliceRows ? await emptyWork(db, policy.sliceRows - removed) : 0)
}
