import * as z from 'zod'
import type { Explanation } from '../injection/use-cases.ts'
import { INJECTION_KINDS, type Injection, type InjectionText, type LineReason, VERDICTS } from '../kernel/injection.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { PROMPT_OUTCOMES } from '../memory/prompt/prompt-threshold.ts'
import type { RecoveryBlock } from '../recovery/use-cases.ts'
import { SessionEventSchema } from '../wire/event.ts'
import {
  CheckpointIdSchema,
  HarnessSchema,
  MemoryIdSchema,
  NoReply,
  SessionIdSchema,
  SessionKeySchema,
} from '../wire/fields.ts'
import { SessionSchema } from '../wire/session.ts'
import { flag } from './projects.ts'
import type { Route } from './route.ts'

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
  also: z.array(InjectionSchema).optional(),
  isRefusal: z.literal(true).optional(),
  forUser: z.string().optional(),
})
true satisfies SameShape<z.output<typeof InjectionTextSchema>, InjectionText>

export const RecoveryBlockSchema = z.object({
  text: z.string(),
  sources: z.array(CheckpointIdSchema),
  reasons: z.array(LineReasonSchema),
  leftOut: z.number().optional(),
  offered: z.array(z.object({ worktree: z.string(), branch: z.string().optional(), checkpointId: CheckpointIdSchema })),
})
true satisfies SameShape<z.output<typeof RecoveryBlockSchema>, RecoveryBlock>

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

export const INJECTION_ROUTES = {
  inject: {
    method: 'POST',
    path: '/api/injections',
    scope: 'write',
    summary: 'Text to inject because of a recorded event.',
    body: z.object({ event: SessionEventSchema, maxChars: z.number().int().min(1).max(50_000) }),
    reply: z.object({ injection: InjectionTextSchema.optional() }),
    useCase: 'continuity.inject',
    notSent: ['session'],
    result: 'injection',
  },
  confirmInjection: {
    method: 'POST',
    path: '/api/injections/confirmed',
    scope: 'write',
    summary: 'Confirms that an injection reached its harness; until then it is offered again.',
    body: z.object({ injection: InjectionSchema }),
    reply: NoReply,
    useCase: 'continuity.confirmInjection',
    args: ['injection'],
  },
  explain: {
    method: 'GET',
    path: '/api/explain',
    scope: 'read',
    summary: 'What was injected into a session, and why.',
    query: z.object({ sessionKey: SessionKeySchema.optional(), cwd: z.string().min(1).optional() }),
    reply: z.object({ explanation: ExplanationSchema }),
    useCase: 'continuity.explain',
    result: 'explanation',
  },
  previewRecovery: {
    method: 'GET',
    path: '/api/recovery',
    scope: 'read',
    summary: 'The recovery that a session starting now in a directory would get.',
    query: z.object({
      cwd: z.string().min(1),
      harness: HarnessSchema.optional(),
      sessionKey: SessionKeySchema.optional(),
      isResumed: flag.optional(),
      restChars: z.coerce.number().int().min(200).max(80_000).optional(),
      restOf: SessionKeySchema.optional(),
    }),
    reply: z.object({ recovery: RecoveryBlockSchema }),
    useCase: 'continuity.previewRecovery',
    result: 'recovery',
  },
} as const satisfies Readonly<Record<string, Route>>
