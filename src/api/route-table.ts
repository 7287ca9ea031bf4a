import type * as z from 'zod'
import {
  CheckpointNowBody,
  CheckpointNowReply,
  CheckpointParams,
  CheckpointsQuery,
  CheckpointsReply,
  SessionCheckpointsQuery,
} from '../wire/checkpoint.ts'
import { DOOR_ROUTES } from './agent-routes.ts'
import {
  AnnouncementSchema,
  CountsReply,
  HealthReply,
  HookParams,
  LoginCodeReply,
  LoginQuery,
  PageParams,
  SightingsQuery,
  SightingsReply,
} from '../wire/daemon.ts'
import { EventsQuery, EventsReply, RecordEventsBody } from '../wire/event.ts'
import { HandoffReply, HistoryBatchBody, HistoryReply, ReceiveHandoffBody } from '../wire/transfer.ts'
import {
  ConfirmInjectionBody,
  ExplainQuery,
  ExplainReply,
  InjectBody,
  InjectReply,
  RecoveryQuery,
  RecoveryReply,
} from '../wire/injection.ts'
import {
  MemoriesQuery,
  MemoriesReply,
  ForgetQuery,
  MemoryParams,
  MemoryReply,
  RecallQuery,
  RecallReply,
  RememberBody,
} from '../wire/memory.ts'
import { CwdQuery, PlaceReply, ProjectsReply } from '../wire/place.ts'
import { NoReply } from '../wire/query.ts'
import { RECEIPT_ROUTES } from './outcome-routes.ts'
import { TASK_ROUTES } from './task-routes.ts'
import {
  RecordEventsReply,
  SessionParams,
  SessionQuery,
  SessionReply,
  SessionsQuery,
  SessionsReply,
} from '../wire/session.ts'

/**
 * public: no credential, but every other check. hook: only `POST /hook/…`. write: changes the store and nothing beside it.
 * project: may change files of a project, or run a program there; a browser does not have it. admin: the daemon itself.
 */
export type Scope = 'public' | 'hook' | 'read' | 'write' | 'project' | 'admin'

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `:name` stands for one segment, percent-decoded. */
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** The JSON answer; absent for a route that answers only in other types. */
  readonly reply?: z.ZodType
  /** The data of each frame, where it answers with an event stream. */
  readonly frame?: z.ZodType
  /** Members of the body that the use case redacts or refuses as a whole; all others are redacted before they are parsed. */
  readonly redactedLater?: readonly string[]
  /** Members whose elements the use case redacts one by one; before they are parsed only what lies over several is looked for. */
  readonly redactedEach?: readonly string[]
  /** Other types it may answer in. */
  readonly produces?: readonly string[]
}

/** Every way in over HTTP. The routes, the OpenAPI document and the test that attacks each of them come from here. */
export const ROUTES = {
  statusPage: {
    method: 'GET',
    path: '/',
    scope: 'public',
    summary: 'The status page for whoever has a token; for a browser, how to get a link.',
    produces: ['text/html'],
  },
  dashboardPage: {
    method: 'GET',
    path: '/page/:page',
    scope: 'public',
    summary: 'The status page of one browser session: needs the cookie that was set for this very path.',
    params: PageParams,
    produces: ['text/html'],
  },
  styleSheet: {
    method: 'GET',
    path: '/style.css',
    scope: 'public',
    summary: "The status page's style.",
    produces: ['text/css'],
  },
  login: {
    method: 'GET',
    path: '/login',
    scope: 'public',
    summary: 'Exchanges a one-time code for a browser session.',
    query: LoginQuery,
    produces: ['text/html'],
  },
  health: {
    method: 'GET',
    path: '/api/health',
    scope: 'public',
    summary: 'Whether the daemon and its store are well; answers even while the store does not.',
    reply: HealthReply,
  },
  hook: {
    method: 'POST',
    path: '/hook/:harness/:hook',
    scope: 'hook',
    summary: "One payload of a harness's hook, as the harness wrote it; answers with what the hook should print.",
    params: HookParams,
    produces: ['text/plain', 'application/json'],
  },
  openapi: {
    method: 'GET',
    path: '/api/openapi.json',
    scope: 'read',
    summary: 'This document.',
    produces: ['application/json'],
  },
  metrics: {
    method: 'GET',
    path: '/api/metrics',
    scope: 'read',
    summary: "Counters and latencies in Prometheus's text format.",
    produces: ['text/plain'],
  },
  counts: {
    method: 'GET',
    path: '/api/counts',
    scope: 'read',
    summary: 'How much the store holds.',
    reply: CountsReply,
  },
  sightings: {
    method: 'GET',
    path: '/api/sightings',
    scope: 'read',
    summary: 'Which hooks of which harness version have been seen, and when.',
    query: SightingsQuery,
    reply: SightingsReply,
  },
  locate: {
    method: 'GET',
    path: '/api/locate',
    scope: 'read',
    summary: 'Project, worktree and branch of a directory.',
    query: CwdQuery,
    reply: PlaceReply,
  },
  listProjects: {
    method: 'GET',
    path: '/api/projects',
    scope: 'read',
    summary: 'Projects with recent sessions, latest activity first.',
    reply: ProjectsReply,
  },
  listEvents: {
    method: 'GET',
    path: '/api/events',
    scope: 'read',
    summary:
      'The event log in order. With `Accept: text/event-stream`, announcements as they happen, from `Last-Event-ID` or `afterSeq` on.',
    query: EventsQuery,
    reply: EventsReply,
    frame: AnnouncementSchema,
  },
  recordEvents: {
    method: 'POST',
    path: '/api/events',
    scope: 'project',
    summary: 'Keeps events in order, durably before it answers. Known ids are no-ops.',
    body: RecordEventsBody,
    redactedEach: ['events'],
    reply: RecordEventsReply,
  },
  inject: {
    method: 'POST',
    path: '/api/injections',
    scope: 'write',
    summary: 'What to put before the agent because of a recorded event.',
    body: InjectBody,
    reply: InjectReply,
  },
  confirmInjection: {
    method: 'POST',
    path: '/api/injections/confirmed',
    scope: 'write',
    summary: 'Says that an injection reached its harness; until then it stays owed.',
    body: ConfirmInjectionBody,
    reply: NoReply,
  },
  explain: {
    method: 'GET',
    path: '/api/explain',
    scope: 'read',
    summary: "What was put before a session's agent, and why.",
    query: ExplainQuery,
    reply: ExplainReply,
  },
  previewRecovery: {
    method: 'GET',
    path: '/api/recovery',
    scope: 'read',
    summary: 'What a session starting now in a directory would be told.',
    query: RecoveryQuery,
    reply: RecoveryReply,
  },
  listCheckpoints: {
    method: 'GET',
    path: '/api/checkpoints',
    scope: 'read',
    summary: 'Checkpoints, newest first.',
    query: CheckpointsQuery,
    reply: CheckpointsReply,
  },
  checkpointNow: {
    method: 'POST',
    path: '/api/checkpoints',
    scope: 'write',
    summary: 'Composes and keeps a checkpoint of a session now.',
    body: CheckpointNowBody,
    reply: CheckpointNowReply,
  },
  listSessionCheckpoints: {
    method: 'GET',
    path: '/api/checkpoints/:sessionKey',
    scope: 'read',
    summary: "A session's checkpoints, newest first.",
    params: SessionParams,
    query: SessionCheckpointsQuery,
    reply: CheckpointsReply,
  },
  deleteCheckpoint: {
    method: 'DELETE',
    path: '/api/checkpoints/id/:id',
    scope: 'write',
    summary: 'Deletes one checkpoint.',
    params: CheckpointParams,
    reply: NoReply,
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    scope: 'read',
    summary: 'Sessions, latest activity first.',
    query: SessionsQuery,
    reply: SessionsReply,
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:sessionKey',
    scope: 'read',
    summary: 'One session; a key known to two harnesses needs `harness` too.',
    params: SessionParams,
    query: SessionQuery,
    reply: SessionReply,
  },
  listMemories: {
    method: 'GET',
    path: '/api/memories',
    scope: 'read',
    summary: "A project's current memories.",
    query: MemoriesQuery,
    reply: MemoriesReply,
  },
  searchMemories: {
    method: 'GET',
    path: '/api/memories/search',
    scope: 'read',
    summary: 'Memories that match a text, best first; never a superseded one.',
    query: RecallQuery,
    reply: RecallReply,
  },
  remember: {
    method: 'POST',
    path: '/api/memories',
    scope: 'write',
    summary: 'Keeps a memory. Text that holds a secret is refused.',
    body: RememberBody,
    redactedLater: ['content', 'tags'],
    reply: MemoryReply,
  },
  forget: {
    method: 'DELETE',
    path: '/api/memories/:id',
    scope: 'write',
    summary: 'Deletes one memory; with `cwd`, only one of the project there.',
    params: MemoryParams,
    query: ForgetQuery,
    reply: NoReply,
  },
  mcp: {
    method: 'POST',
    path: '/mcp',
    scope: 'project',
    summary: 'The Model Context Protocol over Streamable HTTP: one JSON-RPC message of either revision.',
    produces: ['application/json', 'text/event-stream'],
  },
  mcpStream: {
    method: 'GET',
    path: '/mcp',
    scope: 'project',
    summary: 'Refused with 405: this server opens no stream of its own.',
    produces: ['application/json'],
  },
  importHistory: {
    method: 'POST',
    path: '/api/history',
    scope: 'write',
    summary: 'A stretch of a transcript whose session is over, in order. What is known already is a no-op.',
    body: HistoryBatchBody,
    redactedEach: ['items'],
    reply: HistoryReply,
  },
  receiveHandoff: {
    method: 'POST',
    path: '/api/handoffs',
    scope: 'write',
    summary: 'Keeps a checkpoint that came from another machine in a bundle whose signature was checked.',
    body: ReceiveHandoffBody,
    redactedEach: ['checkpoint'],
    reply: HandoffReply,
  },
  ...DOOR_ROUTES,
  ...TASK_ROUTES,
  ...RECEIPT_ROUTES,
  createLoginCode: {
    method: 'POST',
    path: '/api/login-codes',
    scope: 'admin',
    summary: 'A link that opens the dashboard once, within a minute.',
    reply: LoginCodeReply,
  },
  shutdown: {
    method: 'POST',
    path: '/api/shutdown',
    scope: 'admin',
    summary: 'Stops the daemon once everything accepted is kept.',
    reply: NoReply,
  },
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof ROUTES
