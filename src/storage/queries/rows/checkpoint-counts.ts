import { sql, type Kysely } from 'kysely'
import type { SessionId } from '../../../kernel/id.ts'
import type { Tables } from '../../rows/schema.ts'
import { inSlices } from './slices.ts'

/** Counts again what these sessions have. A session without checkpoints counts nothing. */
export async function recount(db: Kysely<Tables>, sessionIds: readonly SessionId[]): Promise<void> {
  await inSlices([...new Set(sessionIds)], async (slice) => {
    await db.deleteFrom('checkpoint_counts').where('session_id', 'in', slice).execute()
    await db
      .insertInto('checkpoint_counts')
      .columns(['session_id', 'total', 'prunable'])
      .expression((from) =>
        from
          .selectFrom('session_checkpoints')
          .select(({ fn }) => [
            'session_id',
            fn.countAll<number>().as('total'),
            sql<number>`sum(case when prune_rank > 0 then 1 else 0 end)`.as('prunable'),
          ])
          .where('session_id', 'in', slice)
          .groupBy('session_id'),
      )
      .execute()
    return []
  })
}
