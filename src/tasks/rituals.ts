import type { ProcessRef } from '../kernel/event.ts'
import type { HealthVerdict } from './model/log-lines.ts'
import type { CheckpointContent, TaskCheckpoint } from './model/task-checkpoint.ts'
import type { SessionOutcome, TaskSession } from './model/task-session.ts'
import type { Incident, TaskRef, CheckpointResult } from './tasks.ts'

export const START_STEPS = ['recall', 'progress', 'status', 'history', 'health check', 'announce'] as const
export const END_STEPS = ['commit', 'progress', 'checkpoint', 'memorize', 'status', 'event'] as const
export type RitualStepName = (typeof START_STEPS)[number] | (typeof END_STEPS)[number]

export interface RitualStep {
  readonly name: RitualStepName
  readonly durationMs: number
  /** The result in one line. */
  readonly detail: string
}

export interface HealthCheck {
  readonly verdict: HealthVerdict
  /** As an argument list; absent if none is configured. */
  readonly command?: readonly string[]
  readonly exitStatus?: number
  readonly detail: string
  readonly durationMs: number
}

export interface StartInput extends TaskRef {
  readonly goal?: string
  readonly fromGate?: string
  readonly agentId?: string
  /** The harness session that does the work. */
  readonly harnessSession?: { readonly harness: string; readonly sessionKey: string }
  /** The session ends when this process does. Without one, it ends after a long silence. */
  readonly process?: ProcessRef
  /** The process that runs the startup steps, which may end before `process`. */
  readonly starter?: ProcessRef
  /** Default: the newest session of the task. */
  readonly parentSession?: string
  /** Reactivates the suspended session instead of starting a child of it. */
  readonly resume?: boolean
  /** After an emergency stop: a person has reviewed it. */
  readonly isReviewed?: boolean
  /** Called with each log line as it is written. */
  readonly onLine?: (line: string) => void
}

export interface StartResult {
  readonly session: TaskSession
  /** False if the health check failed; the session is then suspended. */
  readonly isReady: boolean
  readonly resumedFrom: TaskCheckpoint | null
  readonly health: HealthCheck
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
  /** Facts of the last checkpoint that no longer hold, one sentence each. */
  readonly changed: readonly string[]
  /** Fenced text for the agent: recalled memory, progress, status, last checkpoint. */
  readonly opening: string
}

export interface EndInput extends TaskRef {
  /** Default: the active session. */
  readonly sessionId?: string
  /** Default: `partial`. */
  readonly outcome?: SessionOutcome
  readonly content?: CheckpointContent
  /** `next_session_hint` of the event. */
  readonly hint?: string
  readonly onLine?: (line: string) => void
}

export interface EndResult {
  readonly session: TaskSession
  readonly checkpoint: CheckpointResult
  /** The commit made or patch bundle written, or the reason for neither. */
  readonly work:
    | { readonly kind: 'commit'; readonly commit: string; readonly leftOut: readonly string[] }
    | { readonly kind: 'patch'; readonly file: string; readonly leftOut: readonly string[] }
    | { readonly kind: 'none'; readonly reason: string }
  readonly steps: readonly RitualStep[]
  readonly lines: readonly string[]
}

export interface StopInput extends TaskRef {
  readonly sessionId?: string
  readonly reason: string
  readonly content?: CheckpointContent
}

/** A person's decision about a session that is not active. */
export interface SessionClosing {
  /** Default: the newest one in the state that the decision is about. */
  readonly sessionId?: string | undefined
  readonly reason: string
}

/** The cause of an emergency stop, with the governance protocol's names for the measurement. */
export interface EmergencyTrigger {
  readonly what: string
  readonly metric: string
  /** The metric must stay below this. */
  readonly threshold: number
  readonly actual: number
}

/** Starts and ends the sessions of a task. Runs commands of the project, so only the user's own process may call it. */
export interface Rituals {
  start(input: StartInput): Promise<StartResult>
  end(input: EndInput): Promise<EndResult>
  /** Writes an `interrupted` checkpoint and an incident, and suspends the session. */
  suspend(input: StopInput): Promise<CheckpointResult>
  /** Suspends a complete session, so that it can be resumed. Its reason is recorded in the chain. */
  reopen(input: TaskRef & SessionClosing): Promise<TaskSession>
  /** Terminates a suspended session. Its reason is recorded in the chain. */
  giveUp(input: TaskRef & SessionClosing): Promise<TaskSession>
  /** Emergency stop: writes checkpoint, patch, incident and the event `agent.emergency_stop`, and terminates the session. */
  terminate(input: StopInput & { readonly trigger: EmergencyTrigger }): Promise<CheckpointResult>
  /** Written to the event log, not to the task folder. */
  heartbeat(at: TaskRef & { readonly sessionId: string; readonly process?: ProcessRef }): Promise<void>
  addIncident(at: TaskRef, incident: Omit<Incident, 'at'>): Promise<void>
}
