import * as z from 'zod'
import { FIND_KINDS, type EraseReport, type FindResult } from '../kernel/archive.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { HarnessSchema, ProjectIdSchema, SessionKeySchema, commaSeparated, limit } from '../wire/fields.ts'
import type { Route } from './route.ts'

const FacetSchema = z.array(z.object({ value: z.string(), label: z.string(), count: z.number() }))
const FindResultSchema = z.object({
  hits: z.array(
    z.object({
      kind: z.enum(FIND_KINDS),
      project: z.string(),
      projectId: ProjectIdSchema.optional(),
      session: SessionKeySchema.optional(),
      harness: z.string().optional(),
      title: z.string().optional(),
      at: z.string(),
      text: z.string(),
      matched: z.array(z.string()),
      ref: z.string(),
      reopen: z.string().optional(),
    }),
  ),
  facets: z.object({ project: FacetSchema, harness: FacetSchema, kind: FacetSchema, month: FacetSchema }),
  isComplete: z.boolean(),
})
true satisfies SameShape<z.output<typeof FindResultSchema>, FindResult>

const EraseReportSchema = z.object({
  sessions: z.number(),
  events: z.number(),
  checkpoints: z.number(),
  memories: z.number(),
  rules: z.number(),
  archive: z.number(),
  injections: z.number(),
  intents: z.number(),
  summaries: z.number(),
  other: z.number(),
  backups: z.number(),
})
true satisfies SameShape<z.output<typeof EraseReportSchema>, EraseReport>

export const FIND_ROUTES = {
  erase: {
    method: 'POST',
    path: '/api/erase',
    scope: 'write',
    summary: 'Deletes all data of a session, a project or the person, or counts it.',
    body: z.object({
      session: SessionKeySchema.optional(),
      harness: HarnessSchema.optional(),
      cwd: z.string().min(1).optional(),
      projectId: ProjectIdSchema.optional(),
      isPerson: z.boolean().optional(),
      isPreview: z.boolean().optional(),
    }),
    reply: z.object({ report: EraseReportSchema }),
    useCase: 'continuity.erase',
    result: 'report',
  },
  find: {
    method: 'GET',
    path: '/api/find',
    scope: 'read',
    summary: 'Full-text search in all sessions, memories and checkpoints of all projects.',
    query: z
      .object({
        q: z.string().min(1).max(1_000),
        cwd: z.string().min(1).optional(),
        projectId: ProjectIdSchema.optional(),
        harness: HarnessSchema.optional(),
        kinds: commaSeparated(z.enum(FIND_KINDS)).optional(),
        since: z.string().min(4).max(40).optional(),
        until: z.string().min(4).max(40).optional(),
        offset: z.coerce.number().int().min(0).max(10_000).optional(),
        limit: limit(100, 20),
      })
      .transform(({ q, ...rest }) => ({ ...rest, text: q })),
    reply: FindResultSchema,
    useCase: 'continuity.find',
    sentAs: { text: 'q' },
  },
} as const satisfies Readonly<Record<string, Route>>
