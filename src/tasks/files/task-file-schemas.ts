import * as z from 'zod'
import type { CheckpointIndex, IndexEntry } from '../chain/checkpoint-index.ts'
import { FLOWS, GATES } from '../model/gate.ts'
import { TASK_SESSION_STATES } from '../../kernel/task-session-state.ts'
import { TASK_CHECKPOINT_TYPES, type TaskCheckpoint } from '../model/task-checkpoint.ts'
import { SESSION_OUTCOMES, type TaskSession } from '../model/task-session.ts'
import { TASK_STATES, type MemoryIds, type TaskDefinition, type TaskStatus } from '../model/task.ts'
import type { Incident } from '../tasks.ts'
import type { SameShape } from '../../kernel/json-shape.ts'

/** The files under `tasks/<slug>/json/`. They come with a repository, so they are parsed before any use. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'An id has letters, digits, dots and hyphens')
const version = z.literal(1)
const gate = z.enum(GATES)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'A hash is 64 hex digits')
const link = z.object({ checkpoint_id: id, sha256 })
const state = z.enum(TASK_SESSION_STATES)

export const ChangedFileSchema = z.object({
  path: z.string(),
  action: z.enum(['created', 'modified', 'deleted']),
  sha256: sha256.optional(),
})
const count = z.number().int().min(0)
export const TestCountsSchema = z.object({ passing: count, failing: count, pending: count })
export const TaskDecisionSchema = z.object({
  decision: z.string(),
  rationale: z.string(),
  alternatives_considered: z.array(z.string()),
})
export const ErrorRecoverySchema = z.object({ error: z.string(), resolution: z.string() })
export const SafetyMetricsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const TaskCheckpointSchema = z.object({
  schema_version: version,
  checkpoint_id: id,
  task_slug: z.string(),
  session_id: id.nullable(),
  timestamp: z.iso.datetime(),
  gate,
  step: count,
  type: z.enum(TASK_CHECKPOINT_TYPES),
  summary: z.string(),
  outcome: z.enum(SESSION_OUTCOMES).optional(),
  state: z.object({
    files_changed: z.array(ChangedFileSchema),
    tests: TestCountsSchema.nullable(),
    decisions: z.array(TaskDecisionSchema),
    errors: z.array(ErrorRecoverySchema),
    blockers: z.array(z.string()),
    git: z.object({ branch: z.string().nullable(), head: z.string().nullable(), uncommitted: count }).nullable(),
    patch: z.string().nullable(),
    evidence: z.array(z.object({ path: z.string(), sha256 })),
    safety_metrics: SafetyMetricsSchema.nullable(),
  }),
  next_steps: z.array(z.string()),
  can_resume: z.boolean(),
  resume_instructions: z.string(),
  missing: z.array(z.string()),
  override_reason: z.string().nullable(),
  parent: link.nullable(),
  joins: z.array(link),
})
true satisfies SameShape<z.output<typeof TaskCheckpointSchema>, TaskCheckpoint>

export const TaskSessionSchema = z.object({
  schema_version: version,
  session_id: id,
  agent_id: z.string(),
  task_slug: z.string(),
  state,
  started_at: z.iso.datetime(),
  last_activity: z.iso.datetime(),
  current_gate: gate,
  checkpoint_count: count,
  parent_session: id.nullable(),
  child_sessions: z.array(id),
  context_tokens: count.nullable(),
  goal: z.string().nullable(),
  resumed_from: id.nullable(),
  harness_session: z.string().nullable(),
  ended_at: z.iso.datetime().nullable(),
  outcome: z.enum(SESSION_OUTCOMES).nullable(),
  transitions: z.array(z.object({ at: z.iso.datetime(), from: state, to: state, reason: z.string() })),
})
true satisfies SameShape<z.output<typeof TaskSessionSchema>, TaskSession>

export const TaskStatusSchema = z.object({
  schema_version: version,
  task_slug: z.string(),
  flow: z.enum(FLOWS),
  status: z.enum(TASK_STATES),
  current_gate: gate,
  current_step: count,
  last_session: id.nullable(),
  last_activity: z.iso.datetime(),
  last_checkpoint: id.nullable(),
  blockers: z.array(z.string()),
  next_steps: z.array(z.string()),
  attempts: z.record(z.string(), count),
  regression: z
    .object({
      priority: z.literal('P0'),
      at: z.iso.datetime(),
      session_id: id,
      command: z.string(),
      detail: z.string(),
    })
    .nullable(),
})
true satisfies SameShape<z.output<typeof TaskStatusSchema>, TaskStatus>

export const TaskDefinitionSchema = z.object({
  schema_version: version,
  task_slug: z.string(),
  title: z.string(),
  flow: z.enum(FLOWS),
  acceptance_criteria: z.array(z.string()),
  created_at: z.iso.datetime(),
})
true satisfies SameShape<z.output<typeof TaskDefinitionSchema>, TaskDefinition>

export const MemoryIdsSchema = z.object({ primary: z.string().nullable(), local: z.string().optional() })
true satisfies SameShape<z.output<typeof MemoryIdsSchema>, MemoryIds>

export const RunManifestSchema = z.record(z.string(), z.unknown())

const IndexEntrySchema = z.object({
  checkpoint_id: id,
  session_id: id.nullable(),
  parent_checkpoint_id: id.nullable(),
  joins: z.array(id),
  timestamp: z.string(),
  gate,
  step: count,
  type: z.enum(TASK_CHECKPOINT_TYPES),
  summary: z.string(),
  file: z.string(),
  sha256,
  chain: sha256,
  can_resume: z.boolean(),
})
true satisfies SameShape<z.output<typeof IndexEntrySchema>, IndexEntry>

export const CheckpointIndexSchema = z.object({
  schema_version: version,
  task_slug: z.string(),
  head: id.nullable(),
  heads: z.array(id),
  checkpoints: z.array(IndexEntrySchema),
})
true satisfies SameShape<z.output<typeof CheckpointIndexSchema>, CheckpointIndex>

export const IncidentSchema = z.object({
  at: z.iso.datetime(),
  kind: z.enum(['interrupted', 'health-check-failed', 'emergency-stop', 'chain-unsound', 'escalated', 'sandboxed']),
  session_id: id.nullable(),
  checkpoint_id: id.nullable(),
  detail: z.string(),
})
true satisfies SameShape<z.output<typeof IncidentSchema>, Incident>
