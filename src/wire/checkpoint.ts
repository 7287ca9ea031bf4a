import * as z from 'zod'
import {
  CHECKPOINT_TRIGGERS,
  type Checkpoint,
  COMMAND_PURPOSES,
  type StoredCheckpoint,
  type WorkSummary,
} from '../kernel/checkpoint.ts'
import { decision, FileActionSchema, NoteAuthorSchema, TodoSchema, ToolKindSchema } from './event.ts'
import { CheckpointIdSchema, SessionIdSchema, SessionKeySchema } from './fields.ts'
import { DirtySummarySchema, LocationSchema } from './session.ts'
import type { SameShape } from '../kernel/json-shape.ts'

const order = z.number()
const evidence = z.enum(['observed', 'claimed', 'confirmed'])

const WorkSummarySchema = z.object({
  asks: z.array(z.object({ text: z.string(), at: z.string(), order, answers: z.string().optional() })),
  files: z.array(
    z.object({
      path: z.string(),
      action: FileActionSchema,
      contentHash: z.string().optional(),
      reads: z.number(),
      edits: z.number(),
      lastEditOrder: order.optional(),
      lastOrder: order,
    }),
  ),
  commands: z.array(
    z.object({
      command: z.string(),
      purpose: z.enum(COMMAND_PURPOSES),
      ok: z.boolean(),
      exitStatus: z.number().optional(),
      runs: z.number(),
      failures: z.number(),
      lastOrder: order,
    }),
  ),
  tests: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['passing', 'failing', 'pending']),
      command: z.string(),
      lastOrder: order,
    }),
  ),
  decisions: z.array(z.object({ ...decision, evidence, savedAs: z.string().optional(), lastOrder: order })),
  errors: z.array(
    z.object({
      text: z.string(),
      signature: z.string(),
      count: z.number(),
      command: z.string().optional(),
      resolution: z.string().optional(),
      lastOrder: order,
    }),
  ),
  todos: z.array(TodoSchema),
  plan: z.object({ text: z.string(), lastOrder: order }).optional(),
  blockers: z.array(z.string()),
  refs: z.array(z.string()),
  statements: z.array(z.object({ text: z.string(), lastOrder: order })),
  failedApproaches: z.array(z.string()),
  claims: z
    .array(z.object({ text: z.string(), evidence, contradictedBy: z.string().optional(), lastOrder: order }))
    .optional(),
  steps: z
    .array(z.object({ kind: ToolKindSchema, what: z.string(), ok: z.boolean(), error: z.string().optional(), order }))
    .optional(),
  edits: z
    .array(z.object({ path: z.string(), action: FileActionSchema, defined: z.array(z.string()).optional(), order }))
    .optional(),
  merge: z.object({ command: z.string(), conflicts: z.array(z.string()), order }).optional(),
  gitStatus: z.object({ changed: z.array(z.string()), untracked: z.array(z.string()), order }).optional(),
  dialogue: z
    .array(
      z.object({
        speaker: z.enum(['user', 'agent']),
        kind: z.enum(['request', 'queued', 'answer', 'refusal', 'message', 'turn-final', 'plan', 'summary', 'report']),
        text: z.string(),
        about: z.string().optional(),
        order,
        at: z.string().optional(),
      }),
    )
    .optional(),
  checks: z
    .array(
      z.object({
        command: z.string(),
        purpose: z.enum(['test', 'build', 'lint']),
        verdict: z.enum(['passed', 'failed', 'nothing-ran', 'unknown']),
        line: z.string().optional(),
        passed: z.number().optional(),
        failing: z.array(z.string()).optional(),
        findings: z.array(z.object({ place: z.string(), text: z.string() })).optional(),
        order,
      }),
    )
    .optional(),
  commits: z
    .array(z.object({ subject: z.string(), hash: z.string().optional(), order, isPushed: z.boolean().optional() }))
    .optional(),
  inFlight: z
    .array(
      z.object({
        kind: z.enum(['subagent', 'shell', 'server', 'tool']),
        id: z.string().optional(),
        what: z.string(),
        pid: z.number().optional(),
        port: z.number().optional(),
        order,
      }),
    )
    .optional(),
  pullRequest: z
    .object({ number: z.number(), url: z.string().optional(), isLeft: z.literal(true).optional(), order })
    .optional(),
  lastEditOrder: order.optional(),
  lastPushOrder: order.optional(),
  todosOrder: order.optional(),
  lastOrder: order,
})
true satisfies SameShape<z.output<typeof WorkSummarySchema>, WorkSummary>

const WrittenSchema = z.object({
  summary: z.string(),
  nextAction: z.string().optional(),
  waitingFor: z.string().optional(),
  decisions: z.array(z.object(decision)),
  blockers: z.array(z.string()),
  author: NoteAuthorSchema.optional(),
  name: z.string().optional(),
  order,
})

export const CheckpointSchema = z.object({
  id: CheckpointIdSchema,
  sessionId: SessionIdSchema,
  sessionKey: SessionKeySchema,
  harness: z.string(),
  place: LocationSchema,
  dirty: DirtySummarySchema.optional(),
  task: z.object({ slug: z.string(), gate: z.string().optional(), step: z.string().optional() }).optional(),
  trigger: z.enum(CHECKPOINT_TRIGGERS),
  name: z.string().optional(),
  summary: z.string(),
  digest: z.string(),
  promptCount: z.number(),
  recentQueries: z.array(z.string()),
  recentRemembers: z.array(z.string()),
  work: WorkSummarySchema,
  written: WrittenSchema.optional(),
  nextAction: z.string().optional(),
  waitOrContinue: z.enum(['wait', 'continue']),
  waitingFor: z.string().optional(),
  nextSteps: z.array(z.string()),
  resumeInstructions: z.string().optional(),
  canResume: z.boolean(),
  contextTokens: z.number().optional(),
  safetyMetrics: z.record(z.string(), z.number()).optional(),
  parentId: CheckpointIdSchema.optional(),
  handedOverBy: z.string().optional(),
  eventSeq: z.number(),
  createdAt: z.string(),
  workEndedAt: z.string().optional(),
})
true satisfies SameShape<z.output<typeof CheckpointSchema>, Checkpoint>

export const StoredCheckpointSchema = z.object({ checkpoint: CheckpointSchema, seq: z.number(), hash: z.string() })
true satisfies SameShape<z.output<typeof StoredCheckpointSchema>, StoredCheckpoint>

/** Of one line of history: enough that a recently fetched repository knows some of them. */
export const MAX_COMMITS = 64
export const CommitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
