import type { CheckpointIndex } from './chain/checkpoint-index.ts'
import type { Gate } from './model/gate.ts'
import type { TaskCheckpoint, CheckpointContent, TaskCheckpointType } from './model/task-checkpoint.ts'
import type { TaskSession } from './model/task-session.ts'
import type { TaskDefinition, TaskStatus } from './model/task-status.ts'
import type { ChainFinding } from './chain/verify-chain.ts'

/** Which task: its slug, and a directory of the checkout whose `tasks/` it lies in. */
export interface TaskAt {
  readonly cwd: string
  readonly slug: string
}

export interface TaskView {
  readonly definition: TaskDefinition
  readonly status: TaskStatus
  /** Proven by the chain. */
  readonly gates_held: readonly Gate[]
  /** Required by the flow, and not proven yet. */
  readonly gates_open: readonly Gate[]
  readonly active_session: TaskSession | null
}

export interface TaskDetail extends TaskView {
  readonly sessions: readonly TaskSession[]
  readonly index: CheckpointIndex
  readonly last_checkpoint: TaskCheckpoint | null
  readonly findings: readonly ChainFinding[]
}

export interface WrittenCheckpoint {
  readonly checkpoint: TaskCheckpoint
  readonly sha256: string
  /** S2's line. */
  readonly line: string
  /** Whether it can be found among the memories; with the reason when it cannot. */
  readonly mirrored: true | string
}

/** An incident, one line in `logs/incidents.ndjson`. */
export interface Incident {
  readonly at: string
  readonly kind: 'interrupted' | 'health-check-failed' | 'emergency-stop' | 'chain-unsound' | 'escalated' | 'sandboxed'
  readonly session_id: string | null
  readonly checkpoint_id: string | null
  readonly detail: string
}

/** What happened to a task, in the order of time. */
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

export interface Verification {
  readonly slug: string
  readonly checkpoints: number
  readonly sessions: number
  readonly head: string | null
  readonly findings: readonly ChainFinding[]
}

/** Governed tasks. Every door calls these; the files under `tasks/<slug>/` are what they keep, the event log hears of each step. */
export interface Tasks {
  /** Refuses a slug that is taken. */
  create(
    input: TaskAt & { readonly flow?: string; readonly title?: string; readonly criteria?: readonly string[] },
  ): Promise<TaskView>
  /** Latest activity first; empty where there is no `tasks/`. */
  list(input: { readonly cwd: string }): Promise<readonly TaskView[]>
  /** Refuses an unknown slug, naming those there are. */
  show(at: TaskAt): Promise<TaskDetail>
  /** Enters a gate when everything before it holds; backwards only with a reason. */
  enterGate(
    input: TaskAt & { readonly gate: string; readonly content?: CheckpointContent; readonly reason?: string },
  ): Promise<WrittenCheckpoint>
  /** Needs an active session. Refuses content that lacks what S2 wants of its type, naming each part. */
  checkpoint(
    input: TaskAt & { readonly type: TaskCheckpointType; readonly content: CheckpointContent },
  ): Promise<WrittenCheckpoint>
  block(input: TaskAt & { readonly reason: string }): Promise<TaskView>
  /** Takes one blocker away, or all of them. */
  unblock(input: TaskAt & { readonly reason?: string }): Promise<TaskView>
  /** Refuses while required gates are open, a session is active or the task is blocked. */
  finish(input: TaskAt & { readonly summary?: string; readonly lessons?: readonly string[] }): Promise<TaskView>
  verify(at: TaskAt): Promise<Verification>
  /** Makes index and status again from the files, joins a forked chain, tells the store what it missed; then verifies. */
  repair(at: TaskAt): Promise<Verification>
  timeline(at: TaskAt): Promise<readonly TimelineEntry[]>
}
