import * as z from 'zod'
import { CONTENT_KINDS, type ContentEntry } from '../capture/session-content.ts'
import type { RecordResult, ReopenCommand } from '../capture/use-cases.ts'
import { CHECKPOINT_TRIGGERS } from '../kernel/checkpoint.ts'
import { EVENT_KINDS, type StoredEvent } from '../kernel/event.ts'
import type { Announcement, HookSighting, StoreCounts } from '../kernel/ports/ports.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import { PHASES } from '../kernel/session.ts'
import { SessionEventSchema } from '../wire/event.ts'
import {
  HarnessSchema,
  ProjectIdSchema,
  SessionIdSchema,
  SessionKeySchema,
  limit,
  commaSeparated,
} from '../wire/fields.ts'
import { LocationSchema, SessionSchema } from '../wire/session.ts'
import { flag } from './projects.ts'
import type { Route } from './route.ts'

const CountsSchema = z.object({
  events: z.number(),
  sessions: z.number(),
  checkpoints: z.number(),
  memories: z.number(),
})
true satisfies SameShape<z.output<typeof CountsSchema>, StoreCounts>

const SightingSchema = z.object({
  harness: z.string(),
  harnessVersion: z.string(),
  hook: z.string(),
  count: z.number(),
  lastSeenAt: z.string(),
})
true satisfies SameShape<z.output<typeof SightingSchema>, HookSighting>

/** A repository with sessions that we know of. */
const ProjectSchema = z.object({
  projectId: ProjectIdSchema,
  project: z.string(),
  projectNormalized: z.string(),
  worktrees: z.array(z.string()),
  sessions: z.number().int(),
  lastEventAt: z.string(),
})

const StoredEventSchema = z.object({ seq: z.number().int(), event: SessionEventSchema, hash: z.string() })
true satisfies SameShape<z.output<typeof StoredEventSchema>, StoredEvent>

/** One frame of the event stream. Frames of kind `event` carry their `seq` as the stream's id, to resume from. */
const AnnouncementSchema = z.object({
  seq: z.number(),
  kind: z.enum(['event', 'checkpoint', 'session', 'memory', 'receipt']),
  sessionId: SessionIdSchema.optional(),
  detail: z.string(),
  trigger: z.enum(CHECKPOINT_TRIGGERS).optional(),
})
true satisfies SameShape<z.output<typeof AnnouncementSchema>, Announcement>
/** `position` is the first frame, and follows a replay: the number of the newest event, and how many come before it. */
const FrameSchema = AnnouncementSchema.extend({
  kind: z.enum([...AnnouncementSchema.shape.kind.options, 'position']),
  behind: z.number().optional(),
})
const RecordedSchema = z.object({ seq: z.number(), isNew: z.boolean(), session: SessionSchema })
true satisfies SameShape<z.output<typeof RecordedSchema>, RecordResult>

const ContentEntrySchema = z.object({
  seq: z.number(),
  at: z.string(),
  kind: z.enum(CONTENT_KINDS),
  text: z.string(),
  ok: z.boolean().optional(),
  files: z.array(z.string()).optional(),
})
true satisfies SameShape<z.output<typeof ContentEntrySchema>, ContentEntry>
const ReopenSchema = z.object({
  harness: z.string(),
  sessionKey: SessionKeySchema,
  cwd: z.string().optional(),
  command: z.array(z.string()).optional(),
  text: z.string().optional(),
})
true satisfies SameShape<z.output<typeof ReopenSchema>, ReopenCommand>
const tags = z.array(z.string().min(1).max(64)).max(32)

export const SessionParams = z.object({ sessionKey: SessionKeySchema })
export const SessionQuery = z.object({ harness: HarnessSchema.optional() })

export const EVENT_ROUTES = {
  counts: {
    method: 'GET',
    path: '/api/counts',
    scope: 'read',
    summary: 'Number of stored events, sessions, checkpoints and memories.',
    reply: z.object({ counts: CountsSchema }),
    useCase: 'continuity.counts',
    args: [],
    result: 'counts',
  },
  sightings: {
    method: 'GET',
    path: '/api/sightings',
    scope: 'read',
    summary: 'Which hooks of which harness version have been seen, and when.',
    query: z.object({ harness: HarnessSchema.optional() }),
    reply: z.object({ sightings: z.array(SightingSchema) }),
    useCase: 'continuity.sightings',
    args: ['harness'],
    result: 'sightings',
  },
  locate: {
    method: 'GET',
    path: '/api/locate',
    scope: 'read',
    summary: 'Project, worktree and branch of a directory.',
    query: z.object({ cwd: z.string().min(1) }),
    reply: z.object({ place: LocationSchema }),
    useCase: 'continuity.locate',
    args: ['cwd'],
    result: 'place',
  },
  listProjects: {
    method: 'GET',
    path: '/api/projects',
    scope: 'read',
    summary: 'Projects with recent sessions, latest activity first.',
    reply: z.object({ projects: z.array(ProjectSchema) }),
  },
  listEvents: {
    method: 'GET',
    path: '/api/events',
    scope: 'read',
    summary:
      'The event log in order. With `Accept: text/event-stream`, announcements as they happen, from `Last-Event-ID` or `afterSeq` on.',
    query: z.object({
      afterSeq: z.coerce.number().int().min(0).optional(),
      beforeSeq: z.coerce.number().int().min(0).optional(),
      sessionId: SessionIdSchema.optional(),
      kinds: commaSeparated(z.enum(EVENT_KINDS)).optional(),
      isNewestFirst: flag.optional(),
      limit: limit(1_000, 100),
    }),
    reply: z.object({ events: z.array(StoredEventSchema) }),
    frame: FrameSchema,
    useCase: 'continuity.listEvents',
    result: 'events',
  },
  recordEvents: {
    method: 'POST',
    path: '/api/events',
    scope: 'project',
    summary: 'Stores events in order, durably before it replies. Known ids are no-ops.',
    body: z.object({ events: z.array(SessionEventSchema).min(1).max(500) }),
    redactedEach: ['events'],
    reply: z.object({ recorded: z.array(RecordedSchema) }),
    useCase: 'continuity.recordAll',
    args: ['events'],
    result: 'recorded',
  },
} as const satisfies Readonly<Record<string, Route>>

export const SESSION_ROUTES = {
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    scope: 'read',
    summary: 'Sessions, latest activity first.',
    query: z.object({
      cwd: z.string().min(1).optional(),
      phases: commaSeparated(z.enum(PHASES)).optional(),
      isLive: flag.optional(),
      includeArchived: flag.optional(),
      afterSession: SessionIdSchema.optional(),
      limit: limit(500, 50),
    }),
    reply: z.object({ sessions: z.array(SessionSchema) }),
    useCase: 'continuity.listSessions',
    result: 'sessions',
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:sessionKey',
    scope: 'read',
    summary: 'One session; a key known to two harnesses needs `harness` too.',
    params: SessionParams,
    query: SessionQuery,
    reply: z.object({ session: SessionSchema }),
    useCase: 'continuity.getSession',
    args: ['sessionKey', 'harness'],
    result: 'session',
  },
  labelSession: {
    method: 'POST',
    path: '/api/sessions/:sessionKey/labels',
    scope: 'write',
    summary: 'Names, tags, pins, archives or shares a session.',
    params: SessionParams,
    body: z.object({
      harness: HarnessSchema.optional(),
      title: z.string().max(1_000).optional(),
      addTags: tags.optional(),
      removeTags: tags.optional(),
      isPinned: z.boolean().optional(),
      isArchived: z.boolean().optional(),
      isShared: z.boolean().optional(),
    }),
    reply: z.object({ session: SessionSchema }),
    useCase: 'continuity.labelSession',
    result: 'session',
  },
  readSession: {
    method: 'GET',
    path: '/api/sessions/:sessionKey/content',
    scope: 'read',
    summary: 'The content of a session (messages, commands, edits), in order.',
    params: SessionParams,
    query: z.object({
      harness: HarnessSchema.optional(),
      afterSeq: z.coerce.number().int().min(0).optional(),
      limit: limit(500, 100),
    }),
    reply: z.object({ entries: z.array(ContentEntrySchema) }),
    useCase: 'continuity.readSession',
    result: 'entries',
  },
  reopenCommand: {
    method: 'GET',
    path: '/api/sessions/:sessionKey/reopen',
    scope: 'read',
    summary: 'The command that opens a session again in its harness.',
    params: SessionParams,
    query: SessionQuery,
    reply: z.object({ reopen: ReopenSchema }),
    useCase: 'continuity.reopenCommand',
    args: ['sessionKey', 'harness'],
    result: 'reopen',
  },
} as const satisfies Readonly<Record<string, Route>>
