import * as z from 'zod'
import type { SameShape } from '../kernel/json-shape.ts'
import { type ChainFinding, FINDING_KINDS } from '../tasks/chain/verify-chain.ts'
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
import { GATES } from '../tasks/model/gate.ts'
import { type CheckpointContent, TASK_CHECKPOINT_TYPES } from '../tasks/model/task-checkpoint.ts'
import type { TaskDetail, TaskView, TimelineEntry, ChainVerification, CheckpointResult } from '../tasks/tasks.ts'
import type { Route } from './route.ts'

const MAX_TEXT = 20_000
const MAX_LIST = 500
const text = z.string().max(MAX_TEXT)
const texts = z.array(text).max(MAX_LIST)
const slug = z.string().min(1).max(200)
const cwd = z.string().min(1)
const TaskParams = z.object({ slug })
const TaskQuery = z.object({ cwd })
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
true satisfies SameShape<z.output<typeof WrittenCheckpointSchema>, CheckpointResult>
const VerificationSchema = z.object({
  slug: z.string(),
  checkpoints: z.number(),
  sessions: z.number(),
  head: z.string().nullable(),
  findings: z.array(ChainFindingSchema),
})
true satisfies SameShape<z.output<typeof VerificationSchema>, ChainVerification>
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

const TaskReply = z.object({ task: TaskViewSchema })

const TaskCheckpointReply = z.object({ written: WrittenCheckpointSchema })

export const TASK_ROUTES = {
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    scope: 'read',
    summary: 'Governed tasks, latest activity first.',
    query: TaskQuery,
    reply: z.object({ tasks: z.array(TaskViewSchema) }),
    useCase: 'tasks.list',
    result: 'tasks',
  },
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    scope: 'project',
    summary: 'Creates a governed task: a folder under `tasks/` and its first checkpoint.',
    body: z.object({
      cwd,
      slug,
      flow: z.string().max(40).optional(),
      title: text.optional(),
      criteria: texts.optional(),
    }),
    reply: TaskReply,
    useCase: 'tasks.create',
    result: 'task',
  },
  showTask: {
    method: 'GET',
    path: '/api/tasks/:slug',
    scope: 'read',
    summary: 'The state of a governed task, with its sessions, checkpoints and findings.',
    params: TaskParams,
    query: TaskQuery,
    reply: z.object({ task: TaskDetailSchema }),
    useCase: 'tasks.show',
    result: 'task',
  },
  taskTimeline: {
    method: 'GET',
    path: '/api/tasks/:slug/timeline',
    scope: 'read',
    summary: 'Sessions, checkpoints, gates and incidents of a governed task, by time.',
    params: TaskParams,
    query: TaskQuery,
    reply: z.object({ timeline: z.array(TimelineEntrySchema) }),
    useCase: 'tasks.timeline',
    result: 'timeline',
  },
  verifyTask: {
    method: 'GET',
    path: '/api/tasks/:slug/verification',
    scope: 'read',
    summary: "Whether a governed task's checkpoints are all there, unchanged and in one chain.",
    params: TaskParams,
    query: TaskQuery,
    reply: z.object({ verification: VerificationSchema }),
    useCase: 'tasks.verify',
    result: 'verification',
  },
  enterGate: {
    method: 'POST',
    path: '/api/tasks/:slug/gate',
    scope: 'project',
    summary: 'Enters a gate, when everything before it holds.',
    params: TaskParams,
    body: z.object({
      cwd,
      gate: z.string().min(1).max(40),
      reason: text.optional(),
      force: z.boolean().optional(),
      content: CheckpointContentSchema.optional(),
    }),
    reply: TaskCheckpointReply,
    useCase: 'tasks.enterGate',
    result: 'written',
  },
  taskCheckpoint: {
    method: 'POST',
    path: '/api/tasks/:slug/checkpoints',
    scope: 'project',
    summary: 'Writes a checkpoint of the active session. The error names content that its type requires.',
    params: TaskParams,
    body: z.object({
      cwd,
      type: z.enum(TASK_CHECKPOINT_TYPES),
      content: CheckpointContentSchema,
    }),
    reply: TaskCheckpointReply,
    useCase: 'tasks.checkpoint',
    result: 'written',
  },
  blockTask: {
    method: 'POST',
    path: '/api/tasks/:slug/block',
    scope: 'project',
    summary: 'Blocks a task for a reason.',
    params: TaskParams,
    body: z.object({ cwd, reason: text.min(1) }),
    reply: TaskReply,
    useCase: 'tasks.block',
    result: 'task',
  },
  unblockTask: {
    method: 'POST',
    path: '/api/tasks/:slug/unblock',
    scope: 'project',
    summary: 'Removes one blocker of a task, or all.',
    params: TaskParams,
    body: z.object({ cwd, reason: text.optional() }),
    reply: TaskReply,
    useCase: 'tasks.unblock',
    result: 'task',
  },
  finishTask: {
    method: 'POST',
    path: '/api/tasks/:slug/done',
    scope: 'project',
    summary: 'Archives a task once every gate its flow needs was entered.',
    params: TaskParams,
    body: z.object({
      cwd,
      summary: text.optional(),
      lessons: texts.optional(),
      force: z.boolean().optional(),
      reason: text.optional(),
    }),
    reply: TaskReply,
    useCase: 'tasks.finish',
    result: 'task',
  },
} as const satisfies Readonly<Record<string, Route>>
