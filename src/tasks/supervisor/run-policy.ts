import * as z from 'zod'
import { DEFAULT_PROGRESS_LIMITS, type ProgressLimits } from '../retry/progress.ts'
import { DEFAULT_RETRY_POLICY, FIXER_AFTER_FAILURES, type RetryPolicy } from '../retry/strategy.ts'
import { argumentsOf } from '../../kernel/shell/command-line.ts'
import { parse } from '../../platform/base/parse.ts'

const MINUTE_MS = 60_000
/** S2 §5.3. */
const MAX_FIXER_MINUTES = 10

const Command = z.union([z.string().min(1), z.array(z.string()).min(1)])
const whole = (max: number) => z.int().min(1).max(max)

/** `packOptions["session-continuity"].run` of `.agentic-governance/config.json`. Unknown keys are somebody else's. */
const RunOptions = z.object({
  budgets: z
    .object({
      maxIterations: whole(10_000).default(12),
      maxMinutes: z.number().positive().max(100_000).default(45),
      maxFailures: whole(1_000).default(DEFAULT_RETRY_POLICY.maxFailures),
      maxSessionMinutes: z.number().positive().max(100_000).optional(),
      maxTokens: whole(1_000_000_000_000).optional(),
    })
    .prefault({}),
  noProgress: z
    .object({
      maxIterationsWithoutDiff: whole(100).default(DEFAULT_PROGRESS_LIMITS.maxIterationsWithoutDiff),
      maxRepeatedFailure: whole(100).default(DEFAULT_PROGRESS_LIMITS.maxRepeatedFailure),
    })
    .prefault({}),
  // More than S2 allows is not to be had.
  maxAttempts: whole(DEFAULT_RETRY_POLICY.maxAttempts).default(DEFAULT_RETRY_POLICY.maxAttempts),
  transientWaitSec: z.number().min(0).max(600).default(2),
  resourceWaitSec: z.number().min(0).max(86_400).default(30),
  silenceMinutes: z.number().positive().max(10_000).default(10),
  graceSec: z.number().min(0).max(600).default(5),
  verifyCommand: Command.optional(),
  verifyTimeoutMinutes: z.number().positive().max(10_000).default(15),
  fixerCommand: Command.optional(),
  fixerMinutes: z.number().positive().max(MAX_FIXER_MINUTES).default(MAX_FIXER_MINUTES),
})

export interface RunPolicy {
  readonly maxIterations: number
  readonly maxMs: number
  readonly maxSessionMs: number
  readonly maxTokens: number | undefined
  readonly silenceMs: number
  readonly graceMs: number
  readonly retry: RetryPolicy
  readonly progress: ProgressLimits
  readonly verify: { readonly argv: readonly string[]; readonly maxMs: number } | undefined
  readonly fixer:
    | { readonly argv: readonly string[]; readonly maxMs: number; readonly afterFailures: number }
    | undefined
}

/** What a person gave at the keyboard goes before the project's file. */
export interface GivenLimits {
  readonly maxIterations?: number | undefined
  readonly maxMinutes?: number | undefined
  readonly maxTokens?: number | undefined
}

/** The agent loop's numbers, then the project's, then the person's. Refuses a file that says something else. */
export function runPolicy(options: Readonly<Record<string, unknown>>, given: GivenLimits = {}): RunPolicy {
  const read = parse(RunOptions, options.run ?? {})
  const { budgets } = read
  const maxMs = (given.maxMinutes ?? budgets.maxMinutes) * MINUTE_MS
  const wait = (seconds: number, cap: number) => ({ baseMs: seconds * 1_000, maxMs: Math.max(seconds * 1_000, cap) })
  const { verifyCommand, fixerCommand } = read
  return {
    maxIterations: given.maxIterations ?? budgets.maxIterations,
    maxMs,
    maxSessionMs: Math.min((budgets.maxSessionMinutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS, maxMs),
    maxTokens: given.maxTokens ?? budgets.maxTokens,
    silenceMs: read.silenceMinutes * MINUTE_MS,
    graceMs: read.graceSec * 1_000,
    retry: {
      maxAttempts: read.maxAttempts,
      maxFailures: budgets.maxFailures,
      transientBackoff: wait(read.transientWaitSec, DEFAULT_RETRY_POLICY.transientBackoff.maxMs),
      resourceBackoff: wait(read.resourceWaitSec, DEFAULT_RETRY_POLICY.resourceBackoff.maxMs),
    },
    progress: read.noProgress,
    verify:
      verifyCommand === undefined
        ? undefined
        : { argv: argumentsOf(verifyCommand), maxMs: read.verifyTimeoutMinutes * MINUTE_MS },
    fixer:
      fixerCommand === undefined
        ? undefined
        : {
            argv: argumentsOf(fixerCommand),
            maxMs: read.fixerMinutes * MINUTE_MS,
            afterFailures: FIXER_AFTER_FAILURES,
          },
  }
}
