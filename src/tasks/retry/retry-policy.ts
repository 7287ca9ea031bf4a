import type { SessionFailure, SessionFailureKind } from './classify-failure.ts'

export interface BackoffPolicy {
  readonly baseMs: number
  readonly maxMs: number
}

/** The wait before attempt `attempt` + 1: exponential up to the cap, with jitter over the upper half. `random` is from 0 up to 1. */
export function computeBackoffMs(attempt: number, { baseMs, maxMs }: BackoffPolicy, random: number): number {
  const doublings = Math.min(Math.max(Math.floor(attempt) - 1, 0), 30)
  const full = Math.min(baseMs * 2 ** doublings, maxMs)
  return Math.round(full / 2 + (full / 2) * Math.min(Math.max(random, 0), 1))
}

/** Limits and waiting times between attempts. */
export interface RetryPolicy {
  /** Per step, including the first. */
  readonly maxAttempts: number
  /** In the whole run, over all steps. */
  readonly maxFailures: number
  /** After a network failure or a timeout. */
  readonly transientBackoff: BackoffPolicy
  /** After a resource ran out: longer, because waiting helps. */
  readonly resourceBackoff: BackoffPolicy
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  maxFailures: 3,
  transientBackoff: { baseMs: 2_000, maxMs: 30_000 },
  resourceBackoff: { baseMs: 30_000, maxMs: 300_000 },
}

export interface FailedStep {
  readonly failure: SessionFailure
  /** Consecutive failures at this step, including this one. */
  readonly failuresAtStep: number
  /** Including this one. */
  readonly failuresInRun: number
  /** The same failure repeated with the same files too often. */
  readonly isStalled: boolean
}

export type RetryDecision =
  | { readonly action: 'retry'; readonly waitMs: number }
  /** The next attempt gets the failure and must find its cause before it changes anything. */
  | { readonly action: 'diagnose-and-retry'; readonly waitMs: 0 }
  | { readonly action: 'wait-and-retry'; readonly waitMs: number; readonly limitScale: number }
  | { readonly action: 'rollback-and-replan'; readonly waitMs: 0 }
  | { readonly action: 'escalate'; readonly why: string; readonly isFixerDue: boolean }

/** When the fixer is asked. */
export const FIXER_AFTER_FAILURES = 3

function escalation(step: FailedStep, why: string): RetryDecision {
  return { action: 'escalate', why, isFixerDue: step.failuresAtStep >= FIXER_AFTER_FAILURES }
}

type RetryRule = (step: FailedStep, policy: RetryPolicy, random: number) => RetryDecision

/** The reaction to each kind of failure, as in docs/run.md. */
const RULES: Readonly<Record<SessionFailureKind, RetryRule>> = {
  transient: ({ failuresAtStep }, { transientBackoff }, random) => ({
    action: 'retry',
    waitMs: computeBackoffMs(failuresAtStep, transientBackoff, random),
  }),
  test: () => ({ action: 'diagnose-and-retry', waitMs: 0 }),
  resource: ({ failuresAtStep }, { resourceBackoff }, random) => ({
    action: 'wait-and-retry',
    waitMs: computeBackoffMs(failuresAtStep, resourceBackoff, random),
    limitScale: 2 ** Math.min(failuresAtStep, 4),
  }),
  logic: () => ({ action: 'rollback-and-replan', waitMs: 0 }),
  persistent: (step) => escalation(step, 'A retry cannot help.'),
}

/** `random` is from 0 up to 1. */
export function decideRetry(step: FailedStep, policy: RetryPolicy, random: number): RetryDecision {
  const decision = RULES[step.failure.kind](step, policy, random)
  if (decision.action === 'escalate') return decision
  if (step.failuresAtStep >= policy.maxAttempts)
    return escalation(step, `It failed ${step.failuresAtStep} times at this step.`)
  if (step.failuresInRun >= policy.maxFailures)
    return escalation(step, `There were ${step.failuresInRun} failures in this run.`)
  if (step.isStalled) return escalation(step, 'The same failure repeated and nothing had changed.')
  return decision
}
