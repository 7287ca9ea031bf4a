import * as z from 'zod'
import type { SessionSummary } from '../kernel/agent-records.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import type { KnownLocation } from '../kernel/location.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import { CheckpointSchema } from '../wire/checkpoint.ts'
import { SessionEventSchema } from '../wire/event.ts'
import { ProjectIdSchema, SessionIdSchema, SessionKeySchema } from '../wire/fields.ts'
import { LocationSchema } from '../wire/session.ts'
import { MemorySchema } from './memories.ts'
import { flag } from './projects.ts'
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

const DataRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('location'), value: KnownLocationSchema }),
  z.object({
    kind: z.literal('event'),
    value: z.object({
      event: SessionEventSchema,
      place: LocationSchema.optional(),
      machine: z.object({ id: z.string(), name: z.string() }).optional(),
    }),
  }),
  z.object({ kind: z.literal('checkpoint'), value: CheckpointSchema }),
  z.object({ kind: z.literal('memory'), value: MemorySchema }),
  z.object({ kind: z.literal('rule'), value: RuleSchema }),
  z.object({ kind: z.literal('summary'), value: SummarySchema }),
])
true satisfies SameShape<z.output<typeof DataRecordSchema>, DataRecord>

export const RECORD_ROUTES = {
  exportRecords: {
    method: 'GET',
    path: '/api/records',
    scope: 'read',
    summary: 'Everything of a project, a session or the whole store, page by page.',
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
    summary: 'Stores records of an export. What has a known id is a no-op.',
    body: z.object({ records: z.array(DataRecordSchema).max(500) }),
    redactedEach: ['records'],
    reply: z.object({ stored: z.number(), known: z.number() }),
    useCase: 'continuity.importRecords',
  },
} as const satisfies Readonly<Record<string, Route>>
