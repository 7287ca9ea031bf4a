import * as z from 'zod'
import type { Explanation } from '../injection/use-cases.ts'
import type { RecoveryBlock } from '../recovery/use-cases.ts'
import { type InjectionText, type Injection, INJECTION_KINDS, type LineReason, VERDICTS } from '../kernel/injection.ts'
import { PROMPT_OUTCOMES } from '../memory/prompt/prompt-threshold.ts'
import { SessionEventSchema } from './event.ts'
import { CheckpointIdSchema, HarnessSchema, MemoryIdSchema, SessionIdSchema, SessionKeySchema } from './id.ts'
import type { SameShape } from '../kernel/same-shape.ts'
import { SessionSchema } from './session.ts'

export const LineReasonSchema = z.object({
  line: z.string(),
  section: z.string().optional(),
  origin: z.string(),
  reason: z.string(),
  verdict: z.enum(VERDICTS).optional(),
  score: z.number().optional(),
})
true satisfies SameShape<z.output<typeof LineReasonSchema>, LineReason>

export const InjectionSchema = z.object({
  sessionId: SessionIdSchema,
  at: z.string(),
  kind: z.enum(INJECTION_KINDS),
  epoch: z.number(),
  chars: z.number(),
  textHash: z.string(),
  sources: z.array(z.string()),
  reasons: z.array(LineReasonSchema),
})
true satisfies SameShape<z.output<typeof InjectionSchema>, Injection>

const InjectionTextSchema = z.object({
  text: z.string(),
  injection: InjectionSchema,
  isRefusal: z.literal(true).optional(),
  forUser: z.string().optional(),
})
true satisfies SameShape<z.output<typeof InjectionTextSchema>, InjectionText>

export const InjectBody = z.object({ event: SessionEventSchema, maxChars: z.number().int().min(1).max(50_000) })
/** Without `injection` there is nothing to say. */
export const InjectReply = z.object({ injection: InjectionTextSchema.optional() })
export const ConfirmInjectionBody = z.object({ injection: InjectionSchema })

export const RecoveryQuery = z.object({
  cwd: z.string().min(1),
  harness: HarnessSchema.optional(),
  sessionKey: SessionKeySchema.optional(),
  restChars: z.coerce.number().int().min(200).max(80_000).optional(),
  restOf: SessionKeySchema.optional(),
})
const RecoveryBlockSchema = z.object({
  text: z.string(),
  sources: z.array(CheckpointIdSchema),
  reasons: z.array(LineReasonSchema),
  leftOut: z.number().optional(),
  offered: z.array(z.object({ worktree: z.string(), branch: z.string().optional(), checkpointId: CheckpointIdSchema })),
})
true satisfies SameShape<z.output<typeof RecoveryBlockSchema>, RecoveryBlock>
export const RecoveryReply = z.object({ recovery: RecoveryBlockSchema })

export const ExplainQuery = z.object({ sessionKey: SessionKeySchema.optional(), cwd: z.string().min(1).optional() })
const ConsideredPromptSchema = z.object({
  at: z.string(),
  prompt: z.string(),
  isOn: z.boolean(),
  memories: z.array(
    z.object({
      id: MemoryIdSchema,
      content: z.string(),
      share: z.number(),
      outcome: z.enum([...PROMPT_OUTCOMES, 'not-shown']),
      reason: z.string(),
    }),
  ),
})
const ExplanationSchema = z.object({
  session: SessionSchema,
  injections: z.array(InjectionSchema),
  prompts: z.array(ConsideredPromptSchema),
})
true satisfies SameShape<z.output<typeof ExplanationSchema>, Explanation>
export const ExplainReply = z.object({ explanation: ExplanationSchema })
