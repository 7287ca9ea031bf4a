import * as z from 'zod'
import { PHASES, type Session, type SessionLabels } from '../kernel/session.ts'
import { EndReasonSchema, ProcessRefSchema, StartSourceSchema } from './event.ts'
import { ProjectIdSchema, SessionIdSchema, SessionKeySchema } from './fields.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import type { DirtySummary, Location, Origin } from '../kernel/location.ts'

export const LocationSchema = z.object({
  projectId: ProjectIdSchema,
  project: z.string(),
  projectNormalized: z.string(),
  remote: z.string().optional(),
  worktree: z.string(),
  formerWorktree: z.string().optional(),
  branch: z.string().optional(),
  head: z.string().optional(),
})
true satisfies SameShape<z.output<typeof LocationSchema>, Location>

export const DirtySummarySchema = z.object({
  staged: z.number(),
  unstaged: z.number(),
  untracked: z.number(),
  paths: z.array(z.string()),
})
true satisfies SameShape<z.output<typeof DirtySummarySchema>, DirtySummary>

export const MachineRefSchema = z.object({ id: z.string(), name: z.string() })
export const OriginSchema = z.object({ principal: z.string(), machine: MachineRefSchema })
true satisfies SameShape<z.output<typeof OriginSchema>, Origin>

export const SessionLabelsSchema = z.object({
  title: z.string().optional(),
  tags: z.array(z.string()),
  isPinned: z.boolean(),
  isShared: z.boolean().optional(),
  archivedAt: z.string().optional(),
})
true satisfies SameShape<z.output<typeof SessionLabelsSchema>, SessionLabels>

export const SessionSchema = z.object({
  id: SessionIdSchema,
  key: SessionKeySchema,
  harness: z.string(),
  harnessVersion: z.string().optional(),
  place: LocationSchema.optional(),
  cwd: z.string().optional(),
  transcriptPath: z.string().optional(),
  phase: z.enum(PHASES),
  source: StartSourceSchema.optional(),
  model: z.string().optional(),
  process: ProcessRefSchema.optional(),
  machine: MachineRefSchema.optional(),
  origin: OriginSchema.optional(),
  previousSessionKey: SessionKeySchema.optional(),
  continues: SessionIdSchema.optional(),
  projectSince: z.object({ seq: z.number(), at: z.string() }).optional(),
  startedAt: z.string(),
  lastEventAt: z.string(),
  lastEventSeq: z.number(),
  endedAt: z.string().optional(),
  endReason: EndReasonSchema.optional(),
  promptCount: z.number(),
  toolCount: z.number(),
  compactionCount: z.number(),
  promptsSinceCheckpoint: z.number(),
  hasNewWork: z.boolean(),
  lastCheckpointAt: z.string().optional(),
  contextTokens: z.number().optional(),
  contextWindowTokens: z.number().optional(),
  epoch: z.number(),
  recoveredEpoch: z.number(),
  labels: SessionLabelsSchema.optional(),
})
true satisfies SameShape<z.output<typeof SessionSchema>, Session>
