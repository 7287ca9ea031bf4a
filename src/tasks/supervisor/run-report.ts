import type { FailureKind } from '../retry/failure.ts'
import type { Decision } from '../retry/strategy.ts'
import type { StopReason } from './process/run-command.ts'

/**
 * `complete`: every required gate holds, or the task is done; with `--once`, the session ended well. `partial`: a budget is
 * used up. `escalated`: a person is needed. `stopped`: the stop file, or twice the token budget. `interrupted`: a person
 * ended it.
 */
export type RunOutcome = 'complete' | 'partial' | 'escalated' | 'stopped' | 'interrupted'

export interface SessionReport {
  readonly session_id: string
  readonly iteration: number
  readonly attempt: number
  readonly ended: 'well' | 'failed' | 'stopped'
  readonly stopped_by: StopReason | null
  readonly failure: { readonly kind: FailureKind; readonly reason: string } | null
  readonly decision: Decision['action'] | null
  readonly files_changed: number | null
  readonly tokens: number | null
  readonly duration_ms: number
  /** Relative to the project. */
  readonly log: string
}

export interface RunReport {
  readonly run_id: string
  readonly task: string
  readonly outcome: RunOutcome
  /** One sentence. */
  readonly reason: string
  /** `G4-3`. */
  readonly position: string
  readonly sessions: readonly SessionReport[]
  /** The page for a person, relative to the project. */
  readonly escalation: string | null
  /** Null when the agent told none: a token budget was not watched then. */
  readonly tokens: number | null
  readonly duration_ms: number
}
