import * as z from 'zod'
import type { SameShape } from '../kernel/json-shape.ts'
import type { StartOutcome } from '../kernel/start-outcome.ts'
import type { Ledger } from '../outcomes/ledger.ts'
import { CIRCUMSTANCES } from '../outcomes/stats.ts'
import type { Stats } from '../outcomes/use-cases.ts'
import { HarnessSchema, ProjectIdSchema, SessionIdSchema, SessionKeySchema, limit } from '../wire/fields.ts'
import { InjectionSchema, LineReasonSchema } from './injections.ts'
import { flag } from './projects.ts'
import type { Route } from './route.ts'
import { SessionParams, SessionQuery } from './sessions.ts'

const LineUseSchema = z.union([
  z.object({ status: z.literal('used'), afterCalls: z.number() }),
  z.object({ status: z.enum(['not-used', 'cannot-tell']) }),
])
const ReworkSchema = z.object({
  filesReread: z.array(
    z.object({
      path: z.string(),
      standing: z.enum(['unchanged', 'changed', 'cannot-tell']),
      isEditedAfter: z.boolean(),
    }),
  ),
  commandsRepeated: z.array(z.string()),
  decisionsReopened: z.array(z.string()),
  ratio: z.number().optional(),
  novel_context_count: z.number(),
})
const StartOutcomeSchema = z.object({
  sessionId: SessionIdSchema,
  sessionKey: SessionKeySchema,
  harness: HarnessSchema,
  projectId: ProjectIdSchema,
  worktree: z.string(),
  epoch: z.number(),
  source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork']).optional(),
  startedAt: z.string(),
  startSeq: z.number(),
  eventSeq: z.number(),
  isWarm: z.boolean(),
  calls: z.number(),
  filesRead: z.number(),
  commandsRun: z.number(),
  decisionsMade: z.number(),
  callsToFirstEdit: z.number().optional(),
  msToFirstEdit: z.number().optional(),
  earlierSessions: z.array(SessionIdSchema),
  rework: ReworkSchema.optional(),
  uses: z.array(
    z.object({
      at: z.string(),
      kind: InjectionSchema.shape.kind,
      textHash: z.string(),
      lines: z.array(LineUseSchema),
    }),
  ),
  labels: z.array(z.object({ section: z.string(), shown: z.number(), used: z.number() })),
})
true satisfies SameShape<z.output<typeof StartOutcomeSchema>, StartOutcome>
const SpreadSchema = z.object({
  n: z.number(),
  median: z.number(),
  lowest: z.number(),
  highest: z.number(),
  interval: z.object({ from: z.number(), to: z.number() }).optional(),
})
const StartSummarySchema = z.object({
  starts: z.number(),
  filesReread: SpreadSchema.optional(),
  commandsRepeated: SpreadSchema.optional(),
  decisionsReopened: SpreadSchema.optional(),
  reworkRatio: SpreadSchema.optional(),
  novel_context_count: SpreadSchema.optional(),
  callsToFirstEdit: SpreadSchema.optional(),
  msToFirstEdit: SpreadSchema.optional(),
})
const VotesSchema = z.object({ sessions: z.number(), shown: z.number(), used: z.number() })
const StatsSchema = z.object({
  projects: z.array(
    z.object({
      projectId: ProjectIdSchema,
      worktree: z.string(),
      comparisons: z.array(
        z.object({
          circumstance: z.enum(CIRCUMSTANCES),
          warm: StartSummarySchema,
          cold: StartSummarySchema,
          isEnough: z.boolean(),
          caution: z.string(),
        }),
      ),
    }),
  ),
  receipts: z.array(StartOutcomeSchema),
  pendingSessions: z.number(),
  digests: z.object({
    requests: z.number(),
    followed: z.number(),
    startsWith: StartSummarySchema,
    startsWithout: StartSummarySchema,
  }),
  scorer: z.object({
    isEnabled: z.boolean(),
    sections: z.array(
      z.object({
        section: z.string(),
        everywhere: VotesSchema,
        here: VotesSchema,
      }),
    ),
  }),
})
true satisfies SameShape<z.output<typeof StatsSchema>, Stats>
const LedgerEntrySchema = InjectionSchema.omit({ reasons: true }).extend({
  seq: z.number(),
  isSkipped: z.boolean(),
  sessionKey: SessionKeySchema,
  harness: HarnessSchema,
  worktree: z.string().optional(),
  estimatedTokens: z.number(),
  why: z.string(),
  lines: z.array(LineReasonSchema.extend({ use: LineUseSchema.optional() })),
  lineCount: z.number(),
  usedCount: z.number(),
})
const LedgerSchema = z.object({
  entries: z.array(LedgerEntrySchema),
  totals: z.object({
    injections: z.number(),
    chars: z.number(),
    estimatedTokens: z.number(),
    lineCount: z.number(),
    usedCount: z.number(),
  }),
  next: z.number().optional(),
})
true satisfies SameShape<z.output<typeof LedgerSchema>, Ledger>

export const OUTCOME_ROUTES = {
  stats: {
    method: 'GET',
    path: '/api/stats',
    scope: 'read',
    summary:
      'Outcomes of starts, with and without recovery in the same project, and how often injected lines were used.',
    query: z.object({ cwd: z.string().min(1).optional(), limit: limit(1_000, 20) }),
    reply: z.object({ stats: StatsSchema }),
    useCase: 'continuity.stats',
    result: 'stats',
  },
  sessionReceipts: {
    method: 'GET',
    path: '/api/receipts/:sessionKey',
    scope: 'read',
    summary: 'The outcome of each start of a session, newest first.',
    params: SessionParams,
    query: SessionQuery,
    reply: z.object({ receipts: z.array(StartOutcomeSchema) }),
    useCase: 'continuity.sessionReceipts',
    args: ['sessionKey', 'harness'],
    result: 'receipts',
  },
  ledger: {
    method: 'GET',
    path: '/api/ledger',
    scope: 'read',
    summary: 'What was injected: when, why, at what cost, and whether it was used.',
    query: z.object({
      sessionKey: SessionKeySchema.optional(),
      cwd: z.string().min(1).optional(),
      kind: InjectionSchema.shape.kind.optional(),
      includeSkipped: flag.optional(),
      beforeSeq: z.coerce.number().int().min(0).optional(),
      limit: limit(200, 20),
    }),
    reply: z.object({ ledger: LedgerSchema }),
    useCase: 'continuity.ledger',
    result: 'ledger',
  },
} as const satisfies Readonly<Record<string, Route>>
