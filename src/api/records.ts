import * as z from 'zod'
import type { SessionSummary } from '../kernel/agent-records.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import type { KnownLocation } from '../kernel/location.ts'
import { CHANGING_KINDS, type KnownMachine, type Tombstone } from '../kernel/ports/record-store.ts'
import type { DataRecord, RecordedSession } from '../transfer/records/record.ts'
import { CheckpointSchema } from '../wire/checkpoint.ts'
import { SessionEventSchema } from '../wire/event.ts'
import { ProjectIdSchema, SessionIdSchema, SessionKeySchema } from '../wire/fields.ts'
import { LocationSchema, MachineRefSchema, OriginSchema, SessionLabelsSchema, SessionSchema } from '../wire/session.ts'
import { IntentSchema } from './intents.ts'
import { MemorySchema } from './memories.ts'
import { EntitySchema, flag } from './projects.ts'
import type { Route } from './route.ts'
import { RuleSchema } from './rules.ts'

const KnownLocationSchema = z.object({
  machineId: z.string(),
  location: z.string(),
  projectId: ProjectIdSchema,
  remotes: z.array(z.string()),
  stamp: z.string().optional(),
  rootCommit: z.string().optional(),
  commits: z.array(z.string()),
  movedFrom: z.string().optional(),
  lastSeenAt: z.string(),
  origin: OriginSchema.optional(),
})
true satisfies SameShape<z.output<typeof KnownLocationSchema>, KnownLocation>

const SummarySchema = z.object({
  id: z.string(),
  projectId: ProjectIdSchema,
  worktree: z.string(),
  sessionLabel: z.string().optional(),
  sessionId: SessionIdSchema.optional(),
  summary: z.string(),
  filesChanged: z.array(z.string()),
  entitiesRegistered: z.array(z.string()),
  checklistProgress: z.record(z.string(), z.string()),
  savedAt: z.string(),
})
true satisfies SameShape<z.output<typeof SummarySchema>, SessionSummary>

const RecordedSessionSchema = SessionSchema.omit({
  transcriptPath: true,
  process: true,
  machine: true,
  origin: true,
  projectSince: true,
  lastEventSeq: true,
  promptsSinceCheckpoint: true,
  hasNewWork: true,
  lastCheckpointAt: true,
  epoch: true,
  recoveredEpoch: true,
  labels: true,
}).extend({ origin: OriginSchema })
true satisfies SameShape<z.output<typeof RecordedSessionSchema>, RecordedSession>

const PersonSchema = z.object({ id: z.string().min(1), name: z.string() })
const MachineSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  person: PersonSchema,
  publicKey: z.string().optional(),
})
true satisfies SameShape<z.output<typeof MachineSchema>, KnownMachine>

const TombstoneSchema = z.object({
  id: z.string().min(1),
  erased: z.enum(['session', 'project', 'person']),
  digests: z.array(z.string()),
  at: z.string(),
  machine: z.string(),
  principal: z.string(),
  publicKey: z.string(),
  signature: z.string(),
})
true satisfies SameShape<z.output<typeof TombstoneSchema>, Tombstone>

const DeletionSchema = z.object({
  of: z.enum(CHANGING_KINDS),
  id: z.string(),
  projectId: ProjectIdSchema.optional(),
})
const LabelsSchema = z.object({ sessionId: SessionIdSchema, labels: SessionLabelsSchema })
const version = z.object({ count: z.number().int().min(0), machine: z.string() }).optional()

export const DataRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('machine'), value: MachineSchema }),
  z.object({ kind: z.literal('location'), value: KnownLocationSchema, version }),
  z.object({ kind: z.literal('session'), value: RecordedSessionSchema, version }),
  z.object({ kind: z.literal('labels'), value: LabelsSchema, version }),
  z.object({ kind: z.literal('entity'), value: EntitySchema, version }),
  z.object({ kind: z.literal('intent'), value: IntentSchema, version }),
  z.object({ kind: z.literal('deletion'), value: DeletionSchema, version }),
  z.object({ kind: z.literal('tombstone'), value: TombstoneSchema }),
  z.object({
    kind: z.literal('event'),
    value: z.object({
      event: SessionEventSchema,
      place: LocationSchema.optional(),
      machine: MachineRefSchema.optional(),
    }),
  }),
  z.object({ kind: z.literal('checkpoint'), value: CheckpointSchema }),
  z.object({ kind: z.literal('memory'), value: MemorySchema, version }),
  z.object({ kind: z.literal('rule'), value: RuleSchema, version }),
  z.object({ kind: z.literal('summary'), value: SummarySchema }),
])
true satisfies SameShape<z.output<typeof DataRecordSchema>, DataRecord>

export const RECORD_ROUTES = {
  exportRecords: {
    method: 'GET',
    path: '/api/records',
    scope: 'read',
    summary: 'All records of a project, a session or the whole store, page by page.',
    query: z.object({
      cwd: z.string().min(1).optional(),
      session: SessionKeySchema.optional(),
      isAll: flag.optional(),
      position: z.string().max(2_000).optional(),
    }),
    reply: z.object({ records: z.array(DataRecordSchema), position: z.string().optional() }),
    useCase: 'continuity.exportRecords',
  },
  importRecords: {
    method: 'POST',
    path: '/api/records',
    scope: 'write',
    summary:
      'Stores records of an export. Known records are no-ops; erased ones are refused. Erasures of unknown machines are skipped unless accepted.',
    body: z.object({ records: z.array(DataRecordSchema).max(500), acceptErasures: z.boolean().optional() }),
    redactedEach: ['records'],
    reply: z.object({
      stored: z.number(),
      known: z.number(),
      refused: z.number(),
      authors: z.array(PersonSchema),
      newMachines: z.array(z.object({ id: z.string(), name: z.string() })),
      skippedErasures: z
        .object({
          unknown: z.number(),
          invalid: z.number(),
          machines: z.array(z.string()),
          sessions: z.number(),
          memories: z.number(),
          rules: z.number(),
        })
        .optional(),
    }),
    useCase: 'continuity.importRecords',
  },
} as const satisfies Readonly<Record<string, Route>>
