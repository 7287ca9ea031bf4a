import type { Insertable, Kysely } from 'kysely'
import { type Checkpoint, isKeptUntilDeleted, type StoredCheckpoint } from '../../../kernel/checkpoint.ts'
import { canonicalJson, readCheckpoint, sha256 } from '../../rows/body.ts'
import { noteDamage } from '../../rows/damage-notes.ts'
import type { Tables } from '../../rows/schema.ts'
import { isSoundCheckpoint } from '../../rows/row-integrity.ts'

/** Where it stands in the order of going, once it is no longer the newest of its session. */
export function pruneRankOf(checkpoint: Pick<Checkpoint, 'trigger' | 'name' | 'task'>): number {
  if (isKeptUntilDeleted(checkpoint)) return 0
  return checkpoint.trigger === 'periodic' || checkpoint.trigger === 'autosave' ? 1 : 2
}

export function rowOf(checkpoint: Checkpoint): Insertable<Tables['session_checkpoints']> {
  const { place } = checkpoint
  const body = canonicalJson(checkpoint)
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
    hash: sha256(body),
    body,
  }
}

export interface CheckpointRow {
  readonly seq: number
  readonly hash: string
  readonly body: string
}

export function storedOf(db: Kysely<Tables>, row: CheckpointRow): StoredCheckpoint | undefined {
  if (isSoundCheckpoint(row)) return { checkpoint: readCheckpoint(row.body), seq: row.seq, hash: row.hash }
  noteDamage(db, { table: 'session_checkpoints', key: String(row.seq) })
  return undefined
}
