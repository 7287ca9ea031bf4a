import type { LastAttempt } from '../retry/attempt-note.ts'
import type { EscalatedAttempt } from './escalate.ts'
import { countFailuresAtStep, type SessionResult } from '../retry/progress.ts'
import type { SessionFailureKind } from '../retry/classify-failure.ts'
import type { RetryDecision } from '../retry/retry-policy.ts'
import type { StopReason } from './process/run-command.ts'

/**
 * `complete`: every required gate holds, or the task is done; with `--once`, the session succeeded. `partial`: a budget is
 * used up. `escalated`: a person is needed. `stopped`: the stop file, or twice the token budget. `interrupted`: the user
 * ended it.
 */
export type RunOutcome = 'complete' | 'partial' | 'escalated' | 'stopped' | 'interrupted'

/** The reason with `--once`: the task itself is not complete. */
export const SESSION_SUCCEEDED = 'The session succeeded.'

export interface SessionReport {
  readonly session_id: string
  readonly iteration: number
  readonly attempt: number
  readonly ended: 'well' | 'failed' | 'stopped'
  readonly stopped_by: StopReason | null
  readonly failure: { readonly kind: SessionFailureKind; readonly reason: string } | null
  readonly decision: RetryDecision['action'] | null
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
  readonly reason: string
  /** `G4-3`. */
  readonly position: string
  readonly sessions: readonly SessionReport[]
  /** The escalation page, relative to the project. */
  readonly escalation: string | null
  /** Null if the agent reported none; the token budget was then not enforced. */
  readonly tokens: number | null
  readonly duration_ms: number
}

/** The state of a run. */
export class RunState {
  readonly start: Pick<SessionResult, 'tree' | 'position'>
  readonly results: SessionResult[] = []
  readonly sessions: SessionReport[] = []
  readonly attempts: EscalatedAttempt[] = []
  /** Failures at the first step, counted by an earlier run that was killed. */
  readonly #carried: number
  last: LastAttempt | undefined
  limitScale = 1
  tokens: number | undefined

  constructor(start: Pick<SessionResult, 'tree' | 'position'>, carried: number) {
    this.start = start
    this.#carried = carried
  }

  get failuresInRun(): number {
    return this.results.filter(({ failure }) => failure !== undefined).length
  }

  /** Consecutive failures at the step of the last session. */
  get failuresAtStep(): number {
    const counted = countFailuresAtStep(this.results)
    const isStillFirst =
      counted === this.results.length && (this.results.at(-1)?.position ?? '') === this.start.position
    return counted + (isStillFirst ? this.#carried : 0)
  }

  get nextAttempt(): number {
    return this.last === undefined ? 1 : this.failuresAtStep + 1
  }
}
