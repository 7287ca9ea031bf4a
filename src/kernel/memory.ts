import type { MemoryId, ProjectId, SessionId } from './id.ts'
import type { Origin, StoreOwner } from './location.ts'
import type { CommandPurpose } from './checkpoint.ts'

export const WORK_ITEM_KINDS = ['checkpoint', 'decision', 'summary'] as const

/** A searchable part of the work: a checkpoint, a decision or a summary. */
export interface WorkItem {
  readonly kind: (typeof WORK_ITEM_KINDS)[number]
  /** The id of its checkpoint or summary. */
  readonly id: string
  readonly projectId: ProjectId
  readonly sessionId?: SessionId
  readonly title: string
  readonly text: string
  readonly files: readonly string[]
  readonly at: string
}

export const MEMORY_TYPES = ['decision', 'preference', 'fact', 'lesson', 'failed_approach', 'summary', 'note'] as const
export type MemoryType = (typeof MEMORY_TYPES)[number]

/** me: mine, known in every project. project: mine, known in its project. team: shared with others of the project. */
export const MEMORY_SCOPES = ['me', 'project', 'team'] as const
export type MemoryScope = (typeof MEMORY_SCOPES)[number]

export interface Memory {
  readonly id: MemoryId
  /** `ME_PROJECT` for the scope `me`. */
  readonly projectId: ProjectId
  /** Absent: `project`. */
  readonly scope?: MemoryScope
  /** Absent: written in this home. */
  readonly origin?: Origin
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
  readonly anchors?: readonly MemoryAnchor[]
  /** Not stored yet: it waits for the user's decision (`memory.review`). */
  readonly isProposed?: boolean
  /** Set on a memory that was detected, not written by a user or an agent. */
  readonly evidence?: FailureEvidence
}

/** proposed: waits for the user (`memory.review`). rejected: the user refused it. forgotten: deleted, can be restored for a week. */
export const DRAFT_STATES = ['proposed', 'rejected', 'forgotten'] as const
export type DraftState = (typeof DRAFT_STATES)[number]

/** A memory that is not in force: no search returns it, no session gets it. */
export interface MemoryDraft {
  readonly state: DraftState
  readonly at: string
  readonly memory: Memory
}

/** Tag of memories that the user pinned: they are forgotten by their id only, not by a text. */
export const PINNED_TAG = 'pinned'

export const ANCHOR_KINDS = ['file', 'symbol', 'commit'] as const

/** What a memory names in the project, as it was when the memory was stored. */
export interface MemoryAnchor {
  readonly kind: (typeof ANCHOR_KINDS)[number]
  /** A path of the worktree, a name in the code, or a commit. */
  readonly name: string
  /** Of a file's content; of a symbol's file the path is in `file`. */
  readonly hash?: string
  readonly file?: string
}

export const ANCHOR_STATES = ['unchanged', 'changed', 'missing', 'unknown'] as const

export interface AnchorCheck {
  readonly anchor: MemoryAnchor
  readonly state: (typeof ANCHOR_STATES)[number]
}

export interface MemoryHit {
  readonly memory: Memory
  /** Comparable within one answer only; larger is better. */
  readonly score: number
  /** Share of the query's distinct terms that the memory contains, 0 to 1. */
  readonly coverage: number
  /** 0 to 1, comparable between answers: how much of the query the memory has, by words or meaning. Below 0.1 it is a guess. */
  readonly relevance: number
  /** Anchors that changed or are missing now; absent when there are none, or when they were not checked. */
  readonly outdated?: readonly AnchorCheck[]
}

export const FAILURE_KINDS = ['retry-burst', 'red-red', 'revert', 'recurring-error'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

export interface RepeatedFailure {
  readonly kind: FailureKind
  /** Keys of the commands that failed. */
  readonly keys: readonly string[]
  readonly command: string
  readonly purpose: CommandPurpose
  /** Sequence numbers of the failures. */
  readonly seqs: readonly number[]
  readonly failures: number
  readonly exitStatus?: number
  readonly error?: string
  readonly traits: readonly string[]
  /** Edited between the failures, or edited and reverted. */
  readonly files: readonly string[]
  /** How edits were reverted, and whether the command succeeded then. */
  readonly undone?: { readonly how: string; readonly helped: boolean }
}

/** The evidence stored with the memory of a failed approach. */
export interface FailureEvidence extends RepeatedFailure {
  /** The sessions in which it failed, newest last. */
  readonly sessions: readonly SessionId[]
  /** The branch at that time, if known. */
  readonly branch?: string
  /** The commit of the newest session when it was stored, if known. */
  readonly head?: string
  /** The epoch of the newest session: what was injected before a compaction is forgotten. */
  readonly epoch: number
  /** What made the command succeed again; absent while it fails. */
  readonly resolved?: {
    readonly sessionId: SessionId
    readonly seq: number
    readonly files: readonly string[]
  }
}

/** Source of the memories that a governed task writes about itself: found by searches, never injected. */
export const TASK_SOURCE = 'task'
/** Begins the tag that names the task of such a memory. */
export const TASK_TAG_PREFIX = 'task_'

/** Sources of memories that a user or an agent stored explicitly. */
export const STATED_SOURCES: ReadonlySet<string> = new Set(['cli', 'mcp'])

/** Tag of mirrored task checkpoints: found by searches, never injected before a prompt. */
export const TASK_CHECKPOINT_TAG = 'task-checkpoint'

/** Whether it may be given unasked: it is of this person, or was shared by another one. */
export function isForPerson({ origin, scope }: Memory, person: Pick<StoreOwner, 'id'>): boolean {
  return origin === undefined || origin.principal === person.id || scope === 'team'
}

/** For a line of text: the type, the day, and where the memory is from if not from this project and home. */
export function describeMemory({ type, createdAt, scope, origin }: Memory, at = createdAt.slice(0, 10)): string {
  return [
    type,
    at,
    ...(scope === 'me' ? ['known in every project'] : []),
    ...(scope === 'team' ? ['shared with the team'] : []),
    ...(origin === undefined ? [] : [`from ${origin.machine.name}`]),
  ].join(', ')
}

/** For a line of text: "src/a.ts changed, commit 1a2b3c4 is missing". */
export function describeOutdated(checks: readonly AnchorCheck[]): string {
  return checks
    .map(({ anchor: { kind, name }, state }) => {
      const label = kind === 'file' ? name : `${kind} ${name}`
      return state === 'missing' ? `${label} is missing` : `${label} changed`
    })
    .join(', ')
}
