import * as z from 'zod'
import { DEFAULT_PROGRESS_LIMITS, type ProgressLimits } from '../retry/progress.ts'
import { DEFAULT_RETRY_POLICY, FIXER_AFTER_FAILURES, type RetryPolicy } from '../retry/retry-policy.ts'
import { splitArguments } from '../../kernel/shell/command-line.ts'
import { parse } from '../../platform/base/parse.ts'

const MINUTE_MS = 60_000
/** The limit of one run of the fixer. */
const MAX_FIXER_MINUTES = 10

const Command = z.union([z.string().min(1), z.array(z.string()).min(1)])
const positiveInteger = (max: number) => z.int().min(1).max(max)

/** `packOptions["session-continuity"].run` of `.agentic-governance/config.json`. Ignores unknown keys. */
const RunOptions = z.object({
  budgets: z
    .object({
      maxIterations: positiveInteger(10_000).default(12),
      maxMinutes: z.number().positive().max(100_000).default(45),
      maxFailures: positiveInteger(1_000).default(DEFAULT_RETRY_POLICY.maxFailures),
      maxSessionMinutes: z.number().positive().max(100_000).optional(),
      maxTokens: positiveInteger(1_000_000_000_000).optional(),
    })
    .prefault({}),
  noProgress: z
    .object({
      maxIterationsWithoutDiff: positiveInteger(100).default(DEFAULT_PROGRESS_LIMITS.maxIterationsWithoutDiff),
      maxRepeatedFailure: positiveInteger(100).default(DEFAULT_PROGRESS_LIMITS.maxRepeatedFailure),
    })
    .prefault({}),
  // The governance protocol's maximum.
  maxAttempts: positiveInteger(DEFAULT_RETRY_POLICY.maxAttempts).default(DEFAULT_RETRY_POLICY.maxAttempts),
  transientWaitSec: z.number().min(0).max(600).default(2),
  resourceWaitSec: z.number().min(0).max(86_400).default(30),
  silenceMinutes: z.number().positive().max(10_000).default(10),
  graceSec: z.number().min(0).max(600).default(5),
  verifyCommand: Command.optional(),
  verifyTimeoutMinutes: z.number().positive().max(10_000).default(15),
  fixerCommand: Command.optional(),
  fixerMinutes: z.number().positive().max(MAX_FIXER_MINUTES).default(MAX_FIXER_MINUTES),
})

export interface RunLimits {
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

/** Command-line options, which override the project's file. */
export interface LimitOverrides {
  readonly maxIterations?: number | undefined
  readonly maxMinutes?: number | undefined
  readonly maxTokens?: number | undefined
}

/** Defaults, then the project's file, then the command line. Refuses an invalid file. */
export function readRunLimits(options: Readonly<Record<string, unknown>>, given: LimitOverrides = {}): RunLimits {
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
        : { argv: splitArguments(verifyCommand), maxMs: read.verifyTimeoutMinutes * MINUTE_MS },
    fixer:
      fixerCommand === undefined
        ? undefined
        : {
            argv: splitArguments(fixerCommand),
            maxMs: read.fixerMinutes * MINUTE_MS,
            afterFailures: FIXER_AFTER_FAILURES,
          },
  }
}
