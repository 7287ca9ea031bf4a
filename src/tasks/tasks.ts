import type { CheckpointIndex } from './chain/checkpoint-index.ts'
import type { Gate } from './model/gate.ts'
import type { TaskCheckpoint, CheckpointContent, TaskCheckpointType } from './model/task-checkpoint.ts'
import type { TaskSession } from './model/task-session.ts'
import type { TaskDefinition, TaskStatus } from './model/task.ts'
import type { ChainFinding } from './chain/verify-chain.ts'

/** A task by its slug and a directory of its checkout. */
export interface TaskRef {
  readonly cwd: string
  readonly slug: string
}

export interface TaskView {
  readonly definition: TaskDefinition
  readonly status: TaskStatus
  /** Gates that the chain proves. */
  readonly gates_held: readonly Gate[]
  /** Gates that the flow requires and the chain does not prove yet. */
  readonly gates_open: readonly Gate[]
  readonly active_session: TaskSession | null
}

export interface TaskDetail extends TaskView {
  readonly sessions: readonly TaskSession[]
  readonly index: CheckpointIndex
  readonly last_checkpoint: TaskCheckpoint | null
  readonly findings: readonly ChainFinding[]
}

export interface CheckpointResult {
  readonly checkpoint: TaskCheckpoint
  readonly sha256: string
  /** The log line about it; see `log-lines.ts`. */
  readonly line: string
  /** True if it was stored as a memory, else the reason why not. */
  readonly mirrored: true | string
}

/** One line of `logs/incidents.ndjson`. */
export interface Incident {
  readonly at: string
  readonly kind: 'interrupted' | 'health-check-failed' | 'emergency-stop' | 'chain-unsound' | 'escalated' | 'sandboxed'
  readonly session_id: string | null
  readonly checkpoint_id: string | null
  readonly detail: string
}

export type TimelineEntry =
  | { readonly at: string; readonly kind: 'session'; readonly session_id: string; readonly change: string }
  | {
      readonly at: string
      readonly kind: 'checkpoint'
      readonly checkpoint_id: string
      readonly session_id: string | null
      readonly type: TaskCheckpointType
      readonly gate: Gate
      readonly summary: string
      readonly follows: readonly string[]
    }
  | {
      readonly at: string
      readonly kind: 'gate'
      readonly gate: Gate
      readonly from: Gate | null
      readonly checkpoint_id: string
      readonly session_id: string | null
    }
  | {
      readonly at: string
      readonly kind: 'incident'
      readonly incident: Incident['kind']
      readonly session_id: string | null
      readonly checkpoint_id: string | null
      readonly detail: string
    }

export interface ChainVerification {
  readonly slug: string
  readonly checkpoints: number
  readonly sessions: number
  readonly head: string | null
  readonly findings: readonly ChainFinding[]
}

/** The use cases of governed tasks. State is in the files under `tasks/<slug>/`; each step is also recorded in the event log. */
export interface Tasks {
  /** Refuses an existing slug. */
  create(
    input: TaskRef & { readonly flow?: string; readonly title?: string; readonly criteria?: readonly string[] },
  ): Promise<TaskView>
  /** Latest activity first; empty if there is no `tasks/`. */
  list(input: { readonly cwd: string }): Promise<readonly TaskView[]>
  /** Refuses an unknown slug, naming the known ones. */
  show(at: TaskRef): Promise<TaskDetail>
  /**
   * Refuses if an earlier required gate is open, if the work of the gate that it leaves is incomplete and not forced with a
   * reason, or if it goes back without a reason. Forward it needs an active session.
   */
  enterGate(
    input: TaskRef & {
      readonly gate: string
      readonly content?: CheckpointContent
      readonly reason?: string
      readonly force?: boolean
    },
  ): Promise<CheckpointResult>
  /** Needs an active session. Refuses content without the parts that its type requires, naming each. */
  checkpoint(
    input: TaskRef & { readonly type: TaskCheckpointType; readonly content: CheckpointContent },
  ): Promise<CheckpointResult>
  block(input: TaskRef & { readonly reason: string }): Promise<TaskView>
  /** Removes one blocker, or all. */
  unblock(input: TaskRef & { readonly reason?: string }): Promise<TaskView>
  /**
   * Refuses while required gates are open, a session is active or the task is blocked; and without summary, lessons and the work of
   * the last gate, unless forced with a reason.
   */
  finish(
    input: TaskRef & {
      readonly summary?: string
      readonly lessons?: readonly string[]
      readonly force?: boolean
      readonly reason?: string
    },
  ): Promise<TaskView>
  verify(at: TaskRef): Promise<ChainVerification>
  /** Rebuilds index and status from the checkpoint files, joins a forked chain, adds what the store lacks; then verifies. */
  repair(at: TaskRef): Promise<ChainVerification>
  timeline(at: TaskRef): Promise<readonly TimelineEntry[]>
}
