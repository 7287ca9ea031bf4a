import type { Gate } from './gate.ts'

/** S2 leaves the list open; these are the events of §3.1, §4, §8 and the emergency protocol, and what a person asks for. */
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

export interface ChangedFile {
  readonly path: string
  readonly action: 'created' | 'modified' | 'deleted'
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

/** A file of the task folder as it was: what a later session checks is still there. */
export interface EvidenceFile {
  /** Relative to the task folder. */
  readonly path: string
  readonly sha256: string
}

export interface CheckpointGit {
  readonly branch: string | null
  readonly head: string | null
  /** Paths that git called changed or untracked. */
  readonly uncommitted: number
}

export interface TaskCheckpointState {
  readonly files_changed: readonly ChangedFile[]
  /** Null when nobody saw a test run. */
  readonly tests: TestCounts | null
  readonly decisions: readonly TaskDecision[]
  readonly errors: readonly ErrorRecovery[]
  readonly blockers: readonly string[]
  readonly git: CheckpointGit | null
  /** The patch bundle of what was not committed, relative to the task folder. */
  readonly patch: string | null
  readonly evidence: readonly EvidenceFile[]
  readonly safety_metrics: Readonly<Record<string, string | number | boolean>> | null
}

export interface ChainLink {
  readonly checkpoint_id: string
  readonly sha256: string
}

/** `json/checkpoints/<checkpoint_id>.json`: S2 §3.2 and what chains it. Never changed once written. */
export interface TaskCheckpoint {
  readonly schema_version: 1
  readonly checkpoint_id: string
  readonly task_slug: string
  /** Null when a person moved the task outside any session. */
  readonly session_id: string | null
  readonly timestamp: string
  readonly gate: Gate
  readonly step: number
  readonly type: TaskCheckpointType
  readonly summary: string
  readonly state: TaskCheckpointState
  readonly next_steps: readonly string[]
  readonly can_resume: boolean
  readonly resume_instructions: string
  /** What S2 wants at this event and nobody told, in words. */
  readonly missing: readonly string[]
  /** Why a gate was left backwards. */
  readonly override_reason: string | null
  /** The one before, by the hash of its file's bytes; null for a task's first. */
  readonly parent: ChainLink | null
  /** Other heads that this one brings back together, after two clones were merged. */
  readonly joins: readonly ChainLink[]
}

/** What somebody tells about a checkpoint; the rest is found. */
export interface CheckpointContent {
  readonly summary?: string | undefined
  readonly files?: readonly ChangedFile[] | undefined
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

/** One JSON text per checkpoint: the bytes that are hashed. */
export function renderTaskJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
