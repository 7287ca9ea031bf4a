import type { Gate } from './gate.ts'
import type { SessionOutcome } from './task-session.ts'

/** What a checkpoint is written for, with the names of the governance protocol, and `explicit` for what a person requests. */
export const TASK_CHECKPOINT_TYPES = [
  'gate_transition',
  'decision',
  'file_change',
  'error_recovery',
  'session_end',
  'interrupted',
  'emergency',
  'context_refresh',
  'explicit',
] as const
export type TaskCheckpointType = (typeof TASK_CHECKPOINT_TYPES)[number]

export interface CheckpointFileChange {
  readonly path: string
  readonly action: 'created' | 'modified' | 'deleted'
  /** Of its content at the checkpoint; absent for a deleted file and in older checkpoints. */
  readonly sha256?: string | undefined
}

/** `created:src/a.ts`, `deleted:src/a.ts`; a path alone was modified. */
export function parseFileChange(text: string): CheckpointFileChange {
  const [, action, path] = /^(created|modified|deleted):(.+)$/s.exec(text) ?? []
  if (path === undefined) return { path: text, action: 'modified' }
  return { path, action: action === 'created' || action === 'deleted' ? action : 'modified' }
}

export interface TestCounts {
  readonly passing: number
  readonly failing: number
  readonly pending: number
}

export interface TaskDecision {
  readonly decision: string
  readonly rationale: string
  readonly alternatives_considered: readonly string[]
}

export interface ErrorRecovery {
  readonly error: string
  readonly resolution: string
}

/** A file of the task folder; later sessions and gates check that it is unchanged. */
export interface GateEvidence {
  /** Relative to the task folder. */
  readonly path: string
  readonly sha256: string
}

export interface CheckpointGit {
  readonly branch: string | null
  readonly head: string | null
  /** Number of changed or untracked paths. */
  readonly uncommitted: number
}

export interface TaskCheckpointState {
  readonly files_changed: readonly CheckpointFileChange[]
  /** Null if no test run was observed. */
  readonly tests: TestCounts | null
  readonly decisions: readonly TaskDecision[]
  readonly errors: readonly ErrorRecovery[]
  readonly blockers: readonly string[]
  readonly git: CheckpointGit | null
  /** The patch bundle of uncommitted work, relative to the task folder. */
  readonly patch: string | null
  readonly evidence: readonly GateEvidence[]
  readonly safety_metrics: Readonly<Record<string, string | number | boolean>> | null
}

export interface ChainLink {
  readonly checkpoint_id: string
  readonly sha256: string
}

/** `json/checkpoints/<checkpoint_id>.json`: the fields of the governance protocol plus the chain links. Immutable once written. */
export interface TaskCheckpoint {
  readonly schema_version: 1
  readonly checkpoint_id: string
  readonly task_slug: string
  /** Null if a person changed the task outside any session. */
  readonly session_id: string | null
  readonly timestamp: string
  readonly gate: Gate
  readonly step: number
  readonly type: TaskCheckpointType
  readonly summary: string
  /** How the session went, in its `session_end`; absent in older checkpoints. */
  readonly outcome?: SessionOutcome | undefined
  readonly state: TaskCheckpointState
  readonly next_steps: readonly string[]
  readonly can_resume: boolean
  readonly resume_instructions: string
  /** Names of the expected parts that are missing; see `gate-rules.ts`. */
  readonly missing: readonly string[]
  /** Why the task went back to an earlier gate, or left one with `missing` parts. */
  readonly override_reason: string | null
  /** The previous checkpoint and the hash of its file; null for a task's first. */
  readonly parent: ChainLink | null
  /** Other heads that this checkpoint joins after a merge of two clones. */
  readonly joins: readonly ChainLink[]
}

/** What the caller provides for a checkpoint; missing parts are collected. */
export interface CheckpointContent {
  readonly summary?: string | undefined
  readonly files?: readonly CheckpointFileChange[] | undefined
  readonly tests?: TestCounts | undefined
  readonly decisions?: readonly TaskDecision[] | undefined
  readonly errors?: readonly ErrorRecovery[] | undefined
  readonly blockers?: readonly string[] | undefined
  readonly nextSteps?: readonly string[] | undefined
  readonly resumeInstructions?: string | undefined
  readonly step?: number | undefined
  readonly patch?: string | undefined
  readonly canResume?: boolean | undefined
  readonly safetyMetrics?: TaskCheckpointState['safety_metrics'] | undefined
}

/** The bytes that are hashed. */
export function renderTaskJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
