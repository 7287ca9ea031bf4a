import * as z from 'zod'
import type { Stats } from '../outcomes/use-cases.ts'
import type { Ledger } from '../outcomes/ledger.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import { CIRCUMSTANCES } from '../outcomes/stats.ts'
import { HarnessSchema, ProjectIdSchema, SessionIdSchema, SessionKeySchema } from './id.ts'
import { InjectionSchema, LineReasonSchema } from './injection.ts'
import { limit } from './query.ts'
import type { SameShape } from '../kernel/same-shape.ts'

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

const ReceiptSchema = z.object({
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
true satisfies SameShape<z.output<typeof ReceiptSchema>, Receipt>

const SpreadSchema = z.object({ n: z.number(), median: z.number(), lowest: z.number(), highest: z.number() })
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
  receipts: z.array(ReceiptSchema),
  pendingSessions: z.number(),
  scorer: z.object({
    isEnabled: z.boolean(),
    sections: z.array(
      z.object({
        section: z.string(),
        usualRate: z.number(),
        everywhere: VotesSchema,
        here: VotesSchema,
        rate: z.number(),
        factor: z.number(),
      }),
    ),
  }),
})
true satisfies SameShape<z.output<typeof StatsSchema>, Stats>

const LedgerEntrySchema = InjectionSchema.omit({ reasons: true }).extend({
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
})
true satisfies SameShape<z.output<typeof LedgerSchema>, Ledger>

export const StatsQuery = z.object({ cwd: z.string().min(1).optional(), limit: limit(1_000, 20) })
export const StatsReply = z.object({ stats: StatsSchema })
export const ReceiptsReply = z.object({ receipts: z.array(ReceiptSchema) })
export const LedgerQuery = z.object({
  sessionKey: SessionKeySchema.optional(),
  cwd: z.string().min(1).optional(),
  limit: limit(200, 20),
})
export const LedgerReply = z.object({ ledger: LedgerSchema })
