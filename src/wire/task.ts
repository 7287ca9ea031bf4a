import * as z from 'zod'
import { GATES } from '../tasks/model/gate.ts'
import { TASK_CHECKPOINT_TYPES, type CheckpointContent } from '../tasks/model/task-checkpoint.ts'
import type { TaskDetail, TaskView, TimelineEntry, Verification, WrittenCheckpoint } from '../tasks/tasks.ts'
import { FINDING_KINDS, type ChainFinding } from '../tasks/chain/verify-chain.ts'
import type { SameShape } from '../kernel/same-shape.ts'
import {
  ChangedFileSchema,
  CheckpointIndexSchema,
  ErrorRecoverySchema,
  IncidentSchema,
  SafetyMetricsSchema,
  TaskCheckpointSchema,
  TaskDecisionSchema,
  TaskDefinitionSchema,
  TaskSessionSchema,
  TaskStatusSchema,
  TestCountsSchema,
} from '../tasks/files/task-file-schemas.ts'

const MAX_TEXT = 20_000
const MAX_LIST = 500
const text = z.string().max(MAX_TEXT)
const texts = z.array(text).max(MAX_LIST)
const slug = z.string().min(1).max(200)
const cwd = z.string().min(1)

export const TaskParams = z.object({ slug })
export const TaskQuery = z.object({ cwd })

const CheckpointContentSchema = z.object({
  summary: text.optional(),
  files: z.array(ChangedFileSchema).max(MAX_LIST).optional(),
  tests: TestCountsSchema.optional(),
  decisions: z.array(TaskDecisionSchema).max(MAX_LIST).optional(),
  errors: z.array(ErrorRecoverySchema).max(MAX_LIST).optional(),
  blockers: texts.optional(),
  nextSteps: texts.optional(),
  resumeInstructions: text.optional(),
  step: z.number().int().min(0).optional(),
  patch: text.optional(),
  canResume: z.boolean().optional(),
  safetyMetrics: SafetyMetricsSchema.nullable().optional(),
})
true satisfies SameShape<z.output<typeof CheckpointContentSchema>, CheckpointContent>

export const NewTaskBody = z.object({
  cwd,
  slug,
  flow: z.string().max(40).optional(),
  title: text.optional(),
  criteria: texts.optional(),
})
export const GateBody = z.object({
  cwd,
  gate: z.string().min(1).max(40),
  reason: text.optional(),
  content: CheckpointContentSchema.optional(),
})
export const TaskCheckpointBody = z.object({
  cwd,
  type: z.enum(TASK_CHECKPOINT_TYPES),
  content: CheckpointContentSchema,
})
export const BlockBody = z.object({ cwd, reason: text.min(1) })
export const UnblockBody = z.object({ cwd, reason: text.optional() })
export const FinishBody = z.object({ cwd, summary: text.optional(), lessons: texts.optional() })

const TaskViewSchema = z.object({
  definition: TaskDefinitionSchema,
  status: TaskStatusSchema,
  gates_held: z.array(z.enum(GATES)),
  gates_open: z.array(z.enum(GATES)),
  active_session: TaskSessionSchema.nullable(),
})
true satisfies SameShape<z.output<typeof TaskViewSchema>, TaskView>

const ChainFindingSchema = z.object({
  kind: z.enum(FINDING_KINDS),
  subject: z.string(),
  message: z.string(),
  remedy: z.string(),
})
true satisfies SameShape<z.output<typeof ChainFindingSchema>, ChainFinding>

const TaskDetailSchema = TaskViewSchema.extend({
  sessions: z.array(TaskSessionSchema),
  index: CheckpointIndexSchema,
  last_checkpoint: TaskCheckpointSchema.nullable(),
  findings: z.array(ChainFindingSchema),
})
true satisfies SameShape<z.output<typeof TaskDetailSchema>, TaskDetail>

const WrittenCheckpointSchema = z.object({
  checkpoint: TaskCheckpointSchema,
  sha256: z.string(),
  line: z.string(),
  mirrored: z.union([z.literal(true), z.string()]),
})
true satisfies SameShape<z.output<typeof WrittenCheckpointSchema>, WrittenCheckpoint>

const VerificationSchema = z.object({
  slug: z.string(),
  checkpoints: z.number(),
  sessions: z.number(),
  head: z.string().nullable(),
  findings: z.array(ChainFindingSchema),
})
true satisfies SameShape<z.output<typeof VerificationSchema>, Verification>

const at = z.string()
const session_id = z.string().nullable()
const TimelineEntrySchema = z.discriminatedUnion('kind', [
  z.object({ at, kind: z.literal('session'), session_id: z.string(), change: z.string() }),
  z.object({
    at,
    kind: z.literal('checkpoint'),
    checkpoint_id: z.string(),
    session_id,
    type: z.enum(TASK_CHECKPOINT_TYPES),
    gate: z.enum(GATES),
    summary: z.string(),
    follows: z.array(z.string()),
  }),
  z.object({
    at,
    kind: z.literal('gate'),
    gate: z.enum(GATES),
    from: z.enum(GATES).nullable(),
    checkpoint_id: z.string(),
    session_id,
  }),
  z.object({
    at,
    kind: z.literal('incident'),
    incident: IncidentSchema.shape.kind,
    session_id,
    checkpoint_id: z.string().nullable(),
    detail: z.string(),
  }),
])
true satisfies SameShape<z.output<typeof TimelineEntrySchema>, TimelineEntry>

export const TasksReply = z.object({ tasks: z.array(TaskViewSchema) })
export const TaskReply = z.object({ task: TaskViewSchema })
export const TaskDetailReply = z.object({ task: TaskDetailSchema })
export const TaskCheckpointReply = z.object({ written: WrittenCheckpointSchema })
export const VerificationReply = z.object({ verification: VerificationSchema })
export const TimelineReply = z.object({ timeline: z.array(TimelineEntrySchema) })
