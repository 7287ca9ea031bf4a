import type { CheckpointTrigger, StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { StoredEvent, ToolKind } from '../../kernel/event.ts'
import type { LineReason } from '../../kernel/injection.ts'
import type { Memory } from '../../kernel/memory.ts'
import type { Session } from '../../kernel/session.ts'

/** The replies of the API as the pages read them. */

export interface ProjectRow {
  readonly projectId: string
  readonly project: string
  readonly worktrees: readonly string[]
  readonly sessions: number
  readonly lastEventAt: string
}

/** What names a session. */
export interface NamedSession {
  readonly id: string
  readonly labels?: LabelledSession['labels']
  readonly promptCount?: number
}

/** A session with what people called it. */
export interface LabelledSession extends Session {
  readonly labels?: { title?: string; tags: readonly string[]; isPinned: boolean; archivedAt?: string }
}

export interface HandoffLineRow {
  readonly text: string
  readonly role: 'frame' | 'heading' | 'line'
  /** Of the parts of the line, in their order. */
  readonly reasons: readonly LineReason[]
}

export interface CheckpointRow {
  readonly id: string
  /** Position in the store's order; absent where the checkpoint was read whole. */
  readonly seq?: number
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly project: string
  readonly worktree: string
  readonly branch?: string
  readonly trigger: CheckpointTrigger
  readonly name?: string
  readonly summary: string
  readonly promptCount: number
  readonly eventSeq: number
  readonly createdAt: string
}

const TRIGGERS: Readonly<Record<string, string>> = {
  periodic: 'during work',
  pre_compaction: 'before a compaction',
  agent: 'by the agent',
  explicit: 'on request',
  interrupted: 'after an interruption',
  session_end: 'end of the session',
  gate_transition: 'new gate',
  file_change: 'file change',
  error_recovery: 'after an error',
  context_refresh: 'context refresh',
}

/** Why a checkpoint was made. */
export const formatTrigger = (trigger: string): string => TRIGGERS[trigger] ?? trigger

/** The head of a checkpoint, for a list. */
export function toRow({ checkpoint }: StoredCheckpoint): CheckpointRow {
  const { place, ...rest } = checkpoint
  return {
    ...rest,
    project: place.project,
    worktree: place.worktree,
    ...(place.branch !== undefined && { branch: place.branch }),
  }
}

export interface HandoffReply {
  readonly cwd: string
  readonly text: string
  readonly chars: number
  readonly lines: readonly HandoffLineRow[]
  readonly sources: readonly CheckpointRow[]
  readonly why: readonly LineReason[]
  readonly leftOutText: string
  readonly leftOutCount: number
  readonly offered: readonly { readonly worktree: string; readonly branch?: string }[]
}

export interface InjectionRow {
  readonly seq: number
  readonly isSkipped: boolean
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly worktree?: string
  readonly at: string
  readonly kind: string
  readonly chars: number
  readonly estimatedTokens: number
  readonly why: string
  readonly lines: readonly (LineReason & { readonly use?: { readonly status: string; readonly afterCalls?: number } })[]
  readonly lineCount: number
  readonly usedCount: number
}

/** A prompt for which memories were considered. */
export interface ConsideredRow {
  readonly at: string
  readonly prompt: string
  readonly isOn: boolean
  readonly memories: readonly {
    readonly id: string
    readonly content: string
    readonly share: number
    readonly outcome: string
    readonly reason: string
  }[]
}

/** A median with its range; `interval` is its 95 % confidence interval. */
export interface MedianSpread {
  readonly n: number
  readonly median: number
  readonly lowest: number
  readonly highest: number
  readonly interval?: { readonly from: number; readonly to: number }
}

export const MEASURES = [
  ['filesReread', 'Files read again'],
  ['commandsRepeated', 'Commands repeated'],
  ['decisionsReopened', 'Decisions reopened'],
  ['callsToFirstEdit', 'Calls to the first edit'],
  ['msToFirstEdit', 'Time to the first edit'],
] as const
export type MeasureName = (typeof MEASURES)[number][0]

export type OutcomeMedians = { readonly starts: number } & { readonly [Name in MeasureName]?: MedianSpread }

export interface OutcomeRow {
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly worktree: string
  readonly source?: string
  readonly startedAt: string
  readonly isWarm: boolean
  readonly calls: number
  readonly callsToFirstEdit?: number
  readonly msToFirstEdit?: number
  readonly rework?: {
    readonly filesReread: readonly { readonly path: string }[]
    readonly commandsRepeated: readonly string[]
    readonly decisionsReopened: readonly string[]
  }
}

export interface StatsReply {
  readonly projects: readonly {
    readonly projectId: string
    readonly worktree: string
    readonly comparisons: readonly {
      readonly circumstance: 'start' | 'resume' | 'compact'
      readonly warm: OutcomeMedians
      readonly cold: OutcomeMedians
      readonly isEnough: boolean
      readonly caution: string
    }[]
  }[]
  readonly receipts: readonly OutcomeRow[]
  readonly pendingSessions: number
}

export interface LiveRow {
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly harnessVersion: string | undefined
  readonly model: string | undefined
  readonly project: string | undefined
  readonly worktree: string | undefined
  readonly branch: string | undefined
  readonly state: 'working' | 'waiting' | 'compacting'
  readonly doing: string | undefined
  readonly request: string | undefined
  readonly contextTokens: number | undefined
  readonly contextWindowTokens: number | undefined
  readonly lastEventAt: string
  readonly promptCount: number
  readonly toolCount: number
  readonly lastCheckpointAt: string | undefined
  readonly files: readonly { readonly path: string; readonly edits: number; readonly lastAt: string }[]
  readonly conflicts: readonly {
    readonly path: string
    readonly sessionKey: string
    readonly harness: string
    /** The latest of the other session. */
    readonly request: string | undefined
    readonly isSameWorktree: boolean
  }[]
}

export const LANES = ['prompt', 'tool', 'subagent', 'compaction', 'checkpoint', 'session'] as const
export type LaneName = (typeof LANES)[number]

export interface PointRow {
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly lane: LaneName
  readonly label: string
  readonly ok?: boolean
  readonly durationMs?: number
  readonly subagent?: string
  readonly toolKind?: ToolKind
  readonly checkpointId?: string
}

export interface EventReply extends StoredEvent {
  readonly checkpoint: CheckpointRow | undefined
  readonly injections: readonly InjectionRow[]
}

export interface LineageNodeRow {
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly project?: string
  readonly worktree?: string
  readonly branch?: string
  readonly machine?: string
  readonly phase: string
  readonly startedAt: string
  readonly lastEventAt: string
  readonly promptCount: number
  readonly compactionCount: number
  readonly labels?: LabelledSession['labels']
}

export interface LineageReply {
  readonly nodes: readonly LineageNodeRow[]
  readonly edges: readonly {
    readonly from: string
    readonly to: string
    readonly how: string
    readonly isOtherHarness: boolean
    readonly isOtherWorktree: boolean
    readonly isOtherMachine: boolean
  }[]
}

export interface DraftRow {
  readonly state: 'proposed' | 'rejected' | 'forgotten'
  readonly at: string
  readonly memory: Memory
}

export interface MemoryReply {
  readonly memory: Memory
  readonly checks: readonly {
    readonly anchor: { readonly kind: string; readonly name: string }
    readonly state: 'unchanged' | 'changed' | 'missing' | 'unknown'
  }[]
  readonly history: readonly Memory[]
}

export interface RecoveryReply {
  readonly recovery: {
    readonly text: string
    readonly sources: readonly string[]
    readonly reasons: readonly LineReason[]
    readonly leftOut?: number
    readonly offered: readonly { readonly worktree: string; readonly branch?: string }[]
  }
}

export interface ImportReply {
  readonly state: 'none' | 'running' | 'done' | 'failed'
  readonly done: number
  readonly total: number
  readonly imported?: number
  readonly events?: number
  readonly problem?: string
}

export interface RemovalRow {
  readonly seq: number
  readonly at: string
  readonly sessionId: string
  readonly sessionKey: string
  readonly harness: string
  readonly cwd?: string
  readonly kinds: readonly { readonly kind: string; readonly count: number }[]
}

export interface DetailsReply {
  readonly latencies: readonly {
    readonly at: string
    readonly count: number
    readonly p50Ms: number
    readonly p95Ms: number
    readonly maxMs: number
  }[]
  readonly memoryBytes: number
  readonly storeBytes?: number
  readonly homeBytes: number
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number }
  readonly storedDays: { readonly events: number; readonly checkpoints: number; readonly archive: number }
}

export interface UsageReply {
  readonly days: readonly {
    readonly day: string
    readonly harness: string
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }[]
  readonly sessionsRead: number
  readonly sessionsSkipped: number
}

export interface TeamReply {
  readonly people: readonly {
    readonly id: string
    readonly name: string
    readonly isYou: boolean
    readonly sharedMemories: number
  }[]
  readonly machines: readonly {
    readonly id: string
    readonly name: string
    readonly person: string
    readonly isHere: boolean
    readonly keyFingerprint?: string
    readonly sessions: number
    readonly lastActiveAt?: string
  }[]
  readonly shared: readonly {
    readonly memory: Memory
    readonly author: string
    readonly machine: string
    readonly folder?: string
    readonly isHere: boolean
  }[]
}
