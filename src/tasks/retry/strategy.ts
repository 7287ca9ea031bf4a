import { backoffMs, type BackoffPolicy } from './backoff.ts'
import type { Failure, FailureKind } from './failure.ts'

/** S2 §5.2 as numbers. */
export interface RetryPolicy {
  /** Attempts at one step, the first included. */
  readonly maxAttempts: number
  /** Failures in the whole run, over all steps. */
  readonly maxFailures: number
  /** After a network failure or a time-out. */
  readonly transientBackoff: BackoffPolicy
  /** After something ran out: longer, because waiting is the cure. */
  readonly resourceBackoff: BackoffPolicy
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  maxFailures: 3,
  transientBackoff: { baseMs: 2_000, maxMs: 30_000 },
  resourceBackoff: { baseMs: 30_000, maxMs: 300_000 },
}

export interface FailedStep {
  readonly failure: Failure
  /** Failures in a row at this step, this one included. */
  readonly failuresAtStep: number
  /** Failures in this run, this one included. */
  readonly failuresInRun: number
  /** The same failure came back with the same files too often. */
  readonly isStalled: boolean
}

export type Decision =
  | { readonly action: 'retry'; readonly waitMs: number }
  /** The next attempt is told what failed, and to find out why before it changes anything. */
  | { readonly action: 'diagnose-and-retry'; readonly waitMs: 0 }
  | { readonly action: 'wait-and-retry'; readonly waitMs: number; readonly limitScale: number }
  | { readonly action: 'rollback-and-replan'; readonly waitMs: 0 }
  | { readonly action: 'escalate'; readonly why: string; readonly isFixerDue: boolean }

/** S2 §5.3: the fixer's trigger. */
export const FIXER_AFTER_FAILURES = 3

function escalation(step: FailedStep, why: string): Decision {
  return { action: 'escalate', why, isFixerDue: step.failuresAtStep >= FIXER_AFTER_FAILURES }
}

type Answer = (step: FailedStep, policy: RetryPolicy, random: number) => Decision

/** S2's table, row by row. */
const TABLE: Readonly<Record<FailureKind, Answer>> = {
  transient: ({ failuresAtStep }, { transientBackoff }, random) => ({
    action: 'retry',
    waitMs: backoffMs(failuresAtStep, transientBackoff, random),
  }),
  test: () => ({ action: 'diagnose-and-retry', waitMs: 0 }),
  resource: ({ failuresAtStep }, { resourceBackoff }, random) => ({
    action: 'wait-and-retry',
    waitMs: backoffMs(failuresAtStep, resourceBackoff, random),
    limitScale: 2 ** Math.min(failuresAtStep, 4),
  }),
  logic: () => ({ action: 'rollback-and-replan', waitMs: 0 }),
  persistent: (step) => escalation(step, 'Trying again cannot help.'),
}

/** What follows a failure. Pure: `random` is from 0 up to 1. */
export function decide(step: FailedStep, policy: RetryPolicy, random: number): Decision {
  const answer = TABLE[step.failure.kind](step, policy, random)
  if (answer.action === 'escalate') return answer
  if (step.failuresAtStep >= policy.maxAttempts)
    return escalation(step, `It failed ${step.failuresAtStep} times at this step.`)
  if (step.failuresInRun >= policy.maxFailures)
    return escalation(step, `There were ${step.failuresInRun} failures in this run.`)
  if (step.isStalled) return escalation(step, 'The same failure came back and nothing had changed.')
  return answer
}
