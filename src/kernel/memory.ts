import type { MemoryId, ProjectId, SessionId } from './id.ts'
import type { CommandPurpose } from './checkpoint.ts'

export const MEMORY_TYPES = ['decision', 'preference', 'fact', 'lesson', 'failed_approach', 'summary', 'note'] as const
export type MemoryType = (typeof MEMORY_TYPES)[number]

/** Something worth keeping beyond the session. */
export interface Memory {
  readonly id: MemoryId
  readonly projectId: ProjectId
  readonly type: MemoryType
  readonly content: string
  /** 1 to 10. */
  readonly importance: number
  readonly tags: readonly string[]
  /** Where it came from: `cli`, `mcp`, `checkpoint`, a task slug… */
  readonly source: string
  readonly sessionId?: SessionId
  readonly createdAt: string
  readonly supersedes?: MemoryId
  /** A superseded memory is never returned as current. */
  readonly supersededBy?: MemoryId
  readonly hits: number
  readonly lastHitAt?: string
  /** Of a memory that was found in what happened, not told by anybody. */
  readonly evidence?: FailureEvidence
}

export interface MemoryHit {
  readonly memory: Memory
  /** Comparable within one answer only; larger is better. */
  readonly score: number
  /** Share of the query's distinct terms that the memory contains, 0 to 1. */
  readonly coverage: number
}

export const FAILURE_KINDS = ['retry-burst', 'red-red', 'revert', 'recurring-error'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** Something that was tried and failed, with what was seen of it. */
export interface Finding {
  readonly kind: FailureKind
  /** The commands that it is about, normalised. */
  readonly keys: readonly string[]
  readonly command: string
  readonly purpose: CommandPurpose
  /** Of the failures, in the log. */
  readonly seqs: readonly number[]
  readonly failures: number
  readonly exitStatus?: number
  readonly error?: string
  readonly traits: readonly string[]
  /** Edited between the failures, or edited and taken back. */
  readonly files: readonly string[]
  /** How edits were taken back, and whether the command went well then. */
  readonly undone?: { readonly how: string; readonly helped: boolean }
}

/** What was seen of an approach that failed, kept with the memory that tells of it. */
export interface FailureEvidence extends Finding {
  /** In which it failed, newest last. */
  readonly sessions: readonly SessionId[]
  /** Checked out then, where it is known. */
  readonly branch?: string
  /** The commit of its newest session when it was kept, where it is known. */
  readonly head?: string
  /** Which start of the newest session: what was said before a compaction is forgotten. */
  readonly epoch: number
  /** How the command came to go well again; absent while it fails. */
  readonly resolved?: {
    readonly sessionId: SessionId
    readonly seq: number
    readonly files: readonly string[]
  }
}

/** Mirrored task checkpoints have it: found by whoever asks, and never put before a prompt by themselves. */
export const TASK_CHECKPOINT_TAG = 'task-checkpoint'
