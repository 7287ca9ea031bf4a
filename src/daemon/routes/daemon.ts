import type * as z from 'zod'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { LoginCodeReply } from '../../wire/daemon.ts'
import { openApiDocument } from '../../api/openapi.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import type { BrowserSessions } from '../http/browser-sessions.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { COOKIE, pathOfPage } from '../http/identify.ts'
import type { Metrics } from '../housekeeping/metrics.ts'
import type { RequestEnv } from '../http/request-env.ts'
import { loginPage, STYLE, statusPage } from '../status-page/status-page.ts'
import type { StoreHealth } from '../housekeeping/store-health.ts'
import { within } from '../process/within.ts'

const PAGE_PATIENCE_MS = 1_500
const MEASURED_STARTS = 1_000

export interface DaemonRoutesDeps {
  readonly engine: ContinuityEngine
  readonly storeHealth: StoreHealth
  readonly browsers: BrowserSessions
  readonly metrics: Metrics
  readonly clock: Clock
  /** Known once both listeners are up. */
  readonly endpoint: () => Endpoint
  readonly uptimeMs: () => number
  readonly spoolBacklog: () => number
  /** As last counted; never asks the store. */
  readonly liveSessions: () => number
  readonly streams: () => number
  /** Begins the shutdown; returns at once. */
  readonly shutDown: (reason: string) => void
}

const text = (body: string, type: string, status = 200) =>
  new Response(body, { status, headers: { 'content-type': `${type}; charset=utf-8` } })

export function daemonRoutes(deps: DaemonRoutesDeps) {
  async function health({ principal }: RequestEnv) {
    const { pid, startedAt, version, nonce } = deps.endpoint()
    const store = await deps.storeHealth.read()
    return {
      status: store === 'ok' ? ('ok' as const) : ('degraded' as const),
      version,
      startedAt,
      uptimeMs: Math.round(deps.uptimeMs()),
      store,
      spoolBacklog: deps.spoolBacklog(),
      liveSessions: deps.liveSessions(),
      pid,
      // Whoever could read it without a credential could later pose as this daemon to its clients.
      ...(principal.name !== 'anonymous' && { nonce }),
    }
  }

  async function work() {
    const asked = Promise.all([
      deps.engine.counts(),
      deps.engine.listSessions({ limit: 15 }),
      deps.engine.listCheckpoints({ limit: 10 }),
    ])
    try {
      const answered = await within(PAGE_PATIENCE_MS, asked)
      if (!answered.isDone) return undefined
      const [counts, sessions, checkpoints] = answered.value
      return { counts, sessions, checkpoints }
    } catch {
      // The page says that the store does not answer; the health check has logged why.
      return undefined
    }
  }

  async function status(env: RequestEnv) {
    const data = {
      now: deps.clock.now(),
      health: await health(env),
      pageToken: env.principal.pageToken,
      work: await work(),
    }
    return text(statusPage(data), 'text/html')
  }

  /** None while the store does not answer: the other figures do without it. */
  async function receipts() {
    try {
      const answered = await within(PAGE_PATIENCE_MS, deps.engine.stats({ limit: MEASURED_STARTS }))
      return answered.isDone ? answered.value.receipts : []
    } catch {
      // The health check has logged why.
      return []
    }
  }

  return {
    health: bind(ROUTES.health, ({ env }) => health(env)),
    statusPage: bind(ROUTES.statusPage, ({ env }) =>
      env.principal.scopes.has('read') ? status(env) : text(loginPage(), 'text/html', 401),
    ),
    dashboardPage: bind(ROUTES.dashboardPage, ({ env }) =>
      env.principal.pageToken === undefined ? text(loginPage(), 'text/html', 401) : status(env),
    ),
    styleSheet: bind(ROUTES.styleSheet, () => text(STYLE, 'text/css')),
    login: bind(ROUTES.login, ({ query, env }) => {
      // Whoever only looks whether a link works must not use it up.
      if (env.incoming.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
      const login = deps.browsers.redeem(query.code)
      if (login === undefined) return text(loginPage('This link was used already, or is too old.'), 'text/html', 401)
      const path = pathOfPage(login.page)
      const cookie = `${COOKIE}=${login.cookieValue}; HttpOnly; SameSite=Strict; Path=${path}`
      return new Response(null, { status: 303, headers: { location: path, 'set-cookie': cookie } })
    }),
    createLoginCode: bind(ROUTES.createLoginCode, () => {
      const { code, expiresAt } = deps.browsers.createCode()
      const url = `http://127.0.0.1:${deps.endpoint().port}/login?code=${code}`
      // As it is: redaction must not take the one secret that the caller asked for.
      return Response.json({ code, url, expiresAt } satisfies z.output<typeof LoginCodeReply>)
    }),
    openapi: bind(ROUTES.openapi, () => Response.json(openApiDocument(deps.endpoint().version))),
    metrics: bind(ROUTES.metrics, async () =>
      text(
        deps.metrics.render({
          uptimeSeconds: deps.uptimeMs() / 1_000,
          liveSessions: deps.liveSessions(),
          spoolFiles: deps.spoolBacklog(),
          streams: deps.streams(),
          receipts: await receipts(),
        }),
        'text/plain; version=0.0.4',
      ),
    ),
    shutdown: bind(ROUTES.shutdown, ({ env }) => {
      env.outgoing.once('close', () => deps.shutDown('asked to'))
      return { ok: true as const }
    }),
  }
}
