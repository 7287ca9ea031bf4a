import type { MemoryId, SessionKey } from '../kernel/id.ts'
import type {
  AnchorCheck,
  DraftState,
  Memory,
  MemoryDraft,
  MemoryHit,
  MemoryScope,
  MemoryType,
} from '../kernel/memory.ts'

export interface RememberInput {
  readonly content: string
  readonly cwd: string
  readonly type?: MemoryType
  readonly importance?: number
  readonly tags?: readonly string[]
  readonly source: string
  readonly supersedes?: MemoryId
  /** Default: that of the memory that it repeats or replaces, else `project`. */
  readonly scope?: MemoryScope
  /** The memory also becomes part of this session's next checkpoint. */
  readonly session?: { readonly harness: string; readonly sessionKey: SessionKey }
  /** An agent ran the command, which may not name its session. */
  readonly isByAgent?: boolean
}

export interface RecallInput {
  readonly cwd: string
  readonly text: string
  readonly types?: readonly MemoryType[]
  readonly scope?: MemoryScope
  /** Records that tasks store about themselves rank like memories; by default the best of each task comes last. */
  readonly includeTasks?: boolean
  readonly limit: number
}

/** A memory with the present state of its anchors, and its older versions, newest first. */
export interface MemoryDetail {
  readonly memory: Memory
  readonly checks: readonly AnchorCheck[]
  readonly history: readonly Memory[]
}

export interface EditMemoryInput {
  readonly id: MemoryId
  readonly cwd: string
  /** New content makes a new memory that supersedes this one. */
  readonly content?: string
  readonly type?: MemoryType
  readonly importance?: number
  readonly tags?: readonly string[]
  readonly isPinned?: boolean
  /** Refused while proposals wait for a person (`memory.review`). */
  readonly isByAgent?: boolean
}

/** Ids may be given by a unique prefix. */
export interface MemoryCurationUseCases {
  /** Anchors are checked in the worktree of `cwd`, if the memory belongs to its project. */
  getMemory(id: MemoryId, cwd?: string): Promise<MemoryDetail>
  editMemory(input: EditMemoryInput): Promise<Memory>
  /** Shares a memory of the repository with its team, or stops that. For people: an agent can only propose it. */
  shareMemory(input: { readonly id: MemoryId; readonly cwd: string; readonly isShared: boolean }): Promise<Memory>
  /** Those with these ids, and those that contain the text, except pinned ones. Can be restored for a week. */
  forgetMemories(input: {
    readonly cwd: string
    readonly text?: string
    readonly ids?: readonly MemoryId[]
    /** Deletes nothing; returns the memories that would be forgotten. */
    readonly isPreview?: boolean
  }): Promise<readonly Memory[]>
  restoreMemories(input: { readonly ids: readonly MemoryId[] }): Promise<readonly Memory[]>
  listDrafts(input: { readonly cwd: string; readonly states?: readonly DraftState[] }): Promise<readonly MemoryDraft[]>
  /** The user's decision on a proposed memory, with other words if `content` is given. No agent can call it. */
  reviewDraft(input: {
    readonly id: MemoryId
    readonly action: 'approve' | 'reject'
    readonly content?: string
  }): Promise<MemoryDraft>
}

export interface MemoryUseCases extends MemoryCurationUseCases {
  /** Refuses text that contains a secret and names its kind; stores nothing then. */
  remember(input: RememberInput): Promise<Memory>
  recall(input: RecallInput): Promise<readonly MemoryHit[]>
  /** Newest first, without superseded ones; records of tasks only on request. */
  listMemories(input: {
    readonly cwd: string
    readonly types?: readonly MemoryType[]
    readonly scope?: MemoryScope
    readonly includeTasks?: boolean
    /** Only those that follow this one in the list. */
    readonly afterMemory?: MemoryId
    readonly limit: number
  }): Promise<readonly Memory[]>
  /** Refuses an unknown id. */
  forget(id: MemoryId, cwd?: string): Promise<void>
}
