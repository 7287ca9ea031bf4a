import * as z from 'zod'
import type { RemovalPage } from '../capture/removals.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import type { TokenUsage } from '../outcomes/token-usage.ts'
import { DaemonDetailsReply, ImportProgressReply } from '../wire/daemon.ts'
import { SessionIdSchema, SessionKeySchema, limit } from '../wire/fields.ts'
import { SessionSchema } from '../wire/session.ts'
import { RecoveryBlockSchema } from './injections.ts'
import type { Route } from './route.ts'
import { SessionParams, SessionQuery } from './sessions.ts'

const RemovalPageSchema = z.object({
  removals: z.array(
    z.object({
      seq: z.number(),
      at: z.string(),
      sessionId: SessionIdSchema,
      sessionKey: SessionKeySchema,
      harness: z.string(),
      cwd: z.string().optional(),
      kinds: z.array(z.object({ kind: z.string(), count: z.number() })),
    }),
  ),
  scanned: z.number(),
  next: z.number().optional(),
})
true satisfies SameShape<z.output<typeof RemovalPageSchema>, RemovalPage>

const TokenUsageSchema = z.object({
  days: z.array(
    z.object({
      day: z.string(),
      harness: z.string(),
      sessions: z.number(),
      messages: z.number(),
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
    }),
  ),
  sessionsRead: z.number(),
  sessionsSkipped: z.number(),
})
true satisfies SameShape<z.output<typeof TokenUsageSchema>, TokenUsage>

const cwd = z.string().min(1).optional()

/** What the dashboard shows beyond the other routes. */
export const OVERVIEW_ROUTES = {
  listRemovals: {
    method: 'GET',
    path: '/api/removals',
    scope: 'read',
    summary: 'Kinds of secrets that were removed from the events, newest first; `limit` counts events.',
    query: z.object({ beforeSeq: z.coerce.number().int().min(0).optional(), limit: limit(1_000, 500) }),
    reply: RemovalPageSchema,
    useCase: 'continuity.listRemovals',
  },
  tokenUsage: {
    method: 'GET',
    path: '/api/token-usage',
    scope: 'read',
    summary: 'Tokens that sessions used by day and harness, from their transcripts; each message counts once.',
    query: z.object({ cwd, days: z.coerce.number().int().min(1).max(365) }),
    reply: TokenUsageSchema,
    useCase: 'continuity.tokenUsage',
  },
  hindsight: {
    method: 'GET',
    path: '/api/hindsight',
    scope: 'read',
    summary: 'The recovery that each of the latest sessions would have got at its start. The lines are not checked.',
    query: z.object({ cwd, limit: limit(20, 10) }),
    reply: z.object({ hindsight: z.array(z.object({ session: SessionSchema, recovery: RecoveryBlockSchema })) }),
    useCase: 'continuity.hindsight',
    result: 'hindsight',
  },
  exportSession: {
    method: 'GET',
    path: '/api/sessions/:sessionKey/page',
    scope: 'read',
    summary: 'The content of a session, as one HTML file without script.',
    params: SessionParams,
    query: SessionQuery,
    produces: ['text/html'],
  },
  daemonDetails: {
    method: 'GET',
    path: '/api/health/details',
    scope: 'read',
    summary: 'Latencies of hooks in the last hour, sizes on disk, free space, and how long data is stored.',
    reply: DaemonDetailsReply,
  },
  importProgress: {
    method: 'GET',
    path: '/api/import',
    scope: 'read',
    summary: 'Progress of the import that this daemon started.',
    reply: ImportProgressReply,
  },
  startImport: {
    method: 'POST',
    path: '/api/import',
    scope: 'write',
    summary: "Imports past sessions from the harnesses' transcripts, as `holdfast import` does; one import at a time.",
    reply: ImportProgressReply,
  },
} as const satisfies Readonly<Record<string, Route>>
