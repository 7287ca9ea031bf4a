import type { ProcessRef } from '../kernel/event.ts'
import type { HealthVerdict } from './model/log-lines.ts'
import type { CheckpointContent, TaskCheckpoint } from './model/task-checkpoint.ts'
import type { Outcome, TaskSession } from './model/task-session.ts'
import type { Incident, TaskAt, WrittenCheckpoint } from './tasks.ts'

export const START_STEPS = ['recall', 'progress', 'status', 'history', 'health check', 'announce'] as const
export const END_STEPS = ['commit', 'progress', 'checkpoint', 'memorize', 'status', 'event'] as const
export type RitualStepName = (typeof START_STEPS)[number] | (typeof END_STEPS)[number]

export interface RitualStep {
  readonly name: RitualStepName
  readonly durationMs: number
  /** What came of it, in one line. */
  readonly detail: string
}

export interface HealthCheck {
  readonly verdict: HealthVerdict
  /** As argument list; absent when none is configured. */
  readonly command?: readonly string[]
  readonly exitStatus?: number
  readonly detail: string
  readonly durationMs: number
}

export interface StartInput extends TaskAt {
  readonly goal?: string
  /** Any name of a gate. */
  readonly fromGate?: string
  readonly agentId?: string
  /** The harness session that does the work: its id. */
  readonly harnessSession?: { readonly harness: string; readonly sessionKey: string }
  /** Whose death ends the session; without one it is taken for live until it is silent for long. */
  readonly process?: ProcessRef
  /** The session that this one continues; the newest of the task unless told. */
  readonly parentSession?: string
  /** Makes a suspended session active again instead of starting a child of it. */
  readonly resume?: boolean
  /** After an emergency stop: a person has read what it left. */
  readonly isReviewed?: boolean
  /** Told of each of S2's lines as it is written. */
  readonly onLine?: (line: string) => void
}

export interface Started {
  readonly session: TaskSession
  /** False when the health check failed: the session is suspended, and nothing may proceed. */
  readonly isReady: boolean
  readonly resumedFrom: TaskCheckpoint | null
  readonly health: HealthCheck
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
  /** What was true at the last checkpoint and is not any more, in words. */
  readonly changed: readonly string[]
  /** What an agent needs to go on, fenced: recalled memory, progress, status, the last checkpoint. */
  readonly opening: string
}

export interface EndInput extends TaskAt {
  /** The active one unless told. */
  readonly sessionId?: string
  /** `partial` unless told. */
  readonly outcome?: Outcome
  readonly content?: CheckpointContent
  /** `next_session_hint` of the event. */
  readonly hint?: string
  readonly onLine?: (line: string) => void
}

export interface Ended {
  readonly session: TaskSession
  readonly checkpoint: WrittenCheckpoint
  /** The commit that was made, or the patch bundle that was written, or why neither. */
  readonly work:
    | { readonly kind: 'commit'; readonly commit: string; readonly leftOut: readonly string[] }
    | { readonly kind: 'patch'; readonly file: string; readonly leftOut: readonly string[] }
    | { readonly kind: 'none'; readonly reason: string }
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
}

export interface StopInput extends TaskAt {
  readonly sessionId?: string
  readonly reason: string
  readonly content?: CheckpointContent
}

/** Why an emergency was declared, with S2's names for what was measured. */
export interface EmergencyTrigger {
  /** `stop file detected` … */
  readonly what: string
  readonly metric: string
  /** What the metric must stay below. */
  readonly threshold: number
  readonly actual: number
}

/** What begins and ends the sessions of a task. Runs commands of the project, so only a person's own process does this. */
export interface Rituals {
  start(input: StartInput): Promise<Started>
  end(input: EndInput): Promise<Ended>
  /** An `interrupted` checkpoint, the session suspended, an incident. */
  suspend(input: StopInput): Promise<WrittenCheckpoint>
  /** An `emergency` checkpoint and patch, `json/emergency-checkpoint.json`, the session terminated, an incident, the event `agent.emergency_stop`. */
  terminate(input: StopInput & { readonly trigger: EmergencyTrigger }): Promise<WrittenCheckpoint>
  /** Says that the session is alive: to the event log, not to the folder. */
  heartbeat(at: TaskAt & { readonly sessionId: string; readonly process?: ProcessRef }): Promise<void>
  incident(at: TaskAt, incident: Omit<Incident, 'at'>): Promise<void>
}
