import { type Insertable, type Kysely, sql } from 'kysely'
import { type Checkpoint, isPermanent, type StoredCheckpoint } from '../../../kernel/checkpoint.ts'
import { readCheckpoint, sealBody } from '../../rows/body.ts'
import { noteDamage } from '../../rows/sql-engine.ts'
import type { Tables } from '../../rows/schema.ts'
import { isIntactCheckpoint } from '../../rows/row-integrity.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'
import type { SessionId } from '../../../kernel/id.ts'
import { inSlices } from './statements.ts'

/** Recounts the checkpoints of these sessions. A session without checkpoints has no row. */
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

/** Its pruning rank once it is no longer the newest of its session. */
export function rankForPruning(checkpoint: Pick<Checkpoint, 'trigger' | 'name' | 'task'>): number {
  if (isPermanent(checkpoint)) return 0
  return checkpoint.trigger === 'periodic' || checkpoint.trigger === 'autosave' ? 1 : 2
}

export function toRow(checkpoint: Checkpoint): Insertable<Tables['session_checkpoints']> {
  const { place } = checkpoint
  return {
    id: checkpoint.id,
    session_id: checkpoint.sessionId,
    session_key: checkpoint.sessionKey,
    harness: checkpoint.harness,
    project: place.project,
    project_normalized: place.projectNormalized,
    project_id: place.projectId,
    worktree: place.worktree,
    branch: place.branch ?? null,
    head: place.head ?? null,
    trigger: checkpoint.trigger,
    name: checkpoint.name ?? null,
    task: checkpoint.task?.slug ?? null,
    summary: checkpoint.summary,
    digest: checkpoint.digest,
    prompt_count: checkpoint.promptCount,
    memory_queries: canonicalJson(checkpoint.recentQueries),
    recent_remembers: canonicalJson(checkpoint.recentRemembers),
    parent_id: checkpoint.parentId ?? null,
    event_seq: checkpoint.eventSeq,
    created_at: checkpoint.createdAt,
    prune_rank: 0,
    ...sealBody(checkpoint),
  }
}

export interface CheckpointRecord {
  readonly seq: number
  readonly hash: string
  readonly body: string
}

export function toStoredCheckpoint(db: Kysely<Tables>, row: CheckpointRecord): StoredCheckpoint | undefined {
  if (isIntactCheckpoint(row)) return { checkpoint: readCheckpoint(row.body), seq: row.seq, hash: row.hash }
  noteDamage(db, { table: 'session_checkpoints', key: String(row.seq) })
  return undefined
}
