import type { MemoryId, ProjectId, SessionId } from './id.ts'
import type { FailureEvidence } from '../memory/failures/evidence.ts'

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
