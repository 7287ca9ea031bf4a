import * as z from 'zod'
import { HealthReply, LoginCodeReply } from '../wire/daemon.ts'
import { HarnessSchema, NoReply } from '../wire/fields.ts'
import { CHECKLIST_ROUTES } from './checklist.ts'
import { RECORD_ROUTES } from './records.ts'
import { CHECKPOINT_ROUTES, TRANSFER_ROUTES } from './checkpoints.ts'
import { FIND_ROUTES } from './find.ts'
import { INJECTION_ROUTES } from './injections.ts'
import { INTENT_ROUTES, SUMMARY_ROUTES } from './intents.ts'
import { MEMORY_ROUTES } from './memories.ts'
import { NAMED_CHECKPOINT_ROUTES } from './named-checkpoints.ts'
import { OUTCOME_ROUTES } from './outcomes.ts'
import { OVERVIEW_ROUTES } from './overview.ts'
import { ENTITY_ROUTES, PHASE_ROUTES, PROJECT_ROUTES } from './projects.ts'
import type { MismatchedRoutes, Route } from './route.ts'
import { RULE_ROUTES } from './rules.ts'
import { EVENT_ROUTES, SESSION_ROUTES } from './sessions.ts'
import { SYNC_ROUTES } from './sync.ts'
import { TASK_ROUTES } from './tasks.ts'
import { TEAM_WORK_ROUTES } from './team-work.ts'

/**
 * Every HTTP route. The daemon's handlers, the remote client, the OpenAPI document and the test that attacks each route
 * follow from this table.
 */
export const ROUTES = {
  homePage: {
    method: 'GET',
    path: '/',
    scope: 'public',
    summary: 'With a token, the dashboard without its script; without one, a page that says how to get a link.',
    produces: ['text/html'],
  },
  dashboardPage: {
    method: 'GET',
    path: '/page/:page/*',
    scope: 'public',
    summary: 'The dashboard of one browser session; needs the cookie of this path. The script decides what it shows.',
    params: z.object({ page: z.string().min(1).max(200) }),
    produces: ['text/html'],
  },
  linkPage: {
    method: 'GET',
    path: '/ui/*',
    scope: 'public',
    summary: 'A link into the dashboard that can be copied: continues at the page that this browser opened last.',
    produces: ['text/html'],
  },
  asset: {
    method: 'GET',
    path: '/assets/:file',
    scope: 'public',
    summary: "A file of the dashboard's script or style.",
    params: z.object({ file: z.string().min(1).max(200) }),
    produces: ['text/javascript', 'text/css'],
  },
  login: {
    method: 'GET',
    path: '/login',
    scope: 'public',
    summary: 'Exchanges a one-time code for a browser session.',
    query: z.object({ code: z.string().min(1).max(200) }),
    produces: ['text/html'],
  },
  health: {
    method: 'GET',
    path: '/api/health',
    scope: 'public',
    summary: 'Health of the daemon and its store; answers even while the store does not.',
    reply: HealthReply,
  },
  hook: {
    method: 'POST',
    path: '/hook/:harness/:hook',
    scope: 'hook',
    summary: "One payload of a harness's hook, as the harness wrote it; answers with what the hook should print.",
    params: z.object({ harness: HarnessSchema, hook: z.string().min(1).max(64) }),
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
  ...EVENT_ROUTES,
  ...INJECTION_ROUTES,
  ...CHECKPOINT_ROUTES,
  ...SESSION_ROUTES,
  ...MEMORY_ROUTES,
  ...FIND_ROUTES,
  ...OVERVIEW_ROUTES,
  ...RULE_ROUTES,
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
  ...TRANSFER_ROUTES,
  ...RECORD_ROUTES,
  ...TEAM_WORK_ROUTES,
  ...SYNC_ROUTES,
  ...PROJECT_ROUTES,
  ...INTENT_ROUTES,
  ...ENTITY_ROUTES,
  ...SUMMARY_ROUTES,
  ...CHECKLIST_ROUTES,
  ...NAMED_CHECKPOINT_ROUTES,
  ...PHASE_ROUTES,
  ...TASK_ROUTES,
  ...OUTCOME_ROUTES,
  createLoginCode: {
    method: 'POST',
    path: '/api/login-codes',
    scope: 'admin',
    summary: 'A link that opens the dashboard once, within a minute.',
    reply: LoginCodeReply,
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    scope: 'read',
    summary: 'Ends the browser session that sends the request, and its event streams.',
    reply: NoReply,
  },
  shutdown: {
    method: 'POST',
    path: '/api/shutdown',
    scope: 'admin',
    summary: 'Stops the daemon once everything accepted is stored.',
    reply: NoReply,
  },
} as const satisfies Readonly<Record<string, Route>>

null satisfies MismatchedRoutes<typeof ROUTES>

export type RouteName = keyof typeof ROUTES
/** The routes that call a use case. */
export type UseCaseRoute = {
  [Name in RouteName]: (typeof ROUTES)[Name] extends { readonly useCase: string } ? Name : never
}[RouteName]
