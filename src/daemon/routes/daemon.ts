import type * as z from 'zod'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { Clock } from '../../kernel/ports/ports.ts'
import type { LoginCodeReply } from '../../wire/daemon.ts'
import { openApiDocument } from '../../api/openapi.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import type { BrowserSessions } from '../http/browser-sessions.ts'
import { PlainReply } from '../http/http-errors.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Metrics } from '../housekeeping/metrics.ts'
import type { RequestEnv } from '../http/bind.ts'
import { type PageRoutePorts, pageRoutes } from '../dashboard/page-routes.ts'
import type { StoreHealth } from '../housekeeping/store-health.ts'
import { within } from '../process/timers.ts'

const OUTCOMES_TIMEOUT_MS = 1_500
const MEASURED_STARTS = 1_000

export interface DaemonRoutePorts extends Omit<PageRoutePorts, 'health'> {
  readonly continuity: ContinuityApp
  readonly storeHealth: StoreHealth
  readonly browsers: BrowserSessions
  readonly metrics: Metrics
  readonly clock: Clock
  /** Known once both listeners are up. */
  readonly endpoint: () => Endpoint
  readonly uptimeMs: () => number
  readonly spoolBacklog: () => number
  /** As last counted, without a query. */
  readonly liveSessions: () => number
  readonly streams: () => number
  /** Starts the shutdown; returns at once. */
  readonly shutDown: (reason: string) => void
}

const json = (value: unknown) => new PlainReply(200, JSON.stringify(value), { 'content-type': 'application/json' })

export function daemonRoutes(ports: DaemonRoutePorts) {
  async function health({ principal }: RequestEnv) {
    const { pid, startedAt, version, nonce } = ports.endpoint()
    const store = await ports.storeHealth.read()
    return {
      status: store === 'ok' ? ('ok' as const) : ('degraded' as const),
      version,
      startedAt,
      uptimeMs: Math.round(ports.uptimeMs()),
      store,
      spoolBacklog: ports.spoolBacklog(),
      liveSessions: ports.liveSessions(),
      pid,
      // A caller that reads it without a credential could later pose as this daemon.
      ...(principal.name !== 'anonymous' && { nonce }),
    }
  }

  /** Empty while the store does not answer; the other metrics do not need it. */
  async function listOutcomes() {
    try {
      const answered = await within(OUTCOMES_TIMEOUT_MS, ports.continuity.stats({ limit: MEASURED_STARTS }))
      return answered.isDone ? answered.value.receipts : []
    } catch {
      // The health check has logged why.
      return []
    }
  }

  return {
    health: bind(ROUTES.health, ({ env }) => health(env)),
    ...pageRoutes({ ...ports, health }),
    createLoginCode: bind(ROUTES.createLoginCode, () => {
      const { code, expiresAt } = ports.browsers.createCode()
      const url = `http://127.0.0.1:${ports.endpoint().port}/login?code=${code}`
      // Not redacted: the code is the secret that the caller requested.
      return json({ code, url, expiresAt } satisfies z.output<typeof LoginCodeReply>)
    }),
    openapi: bind(ROUTES.openapi, () => json(openApiDocument(ports.endpoint().version))),
    metrics: bind(
      ROUTES.metrics,
      async () =>
        new PlainReply(
          200,
          ports.metrics.render({
            uptimeSeconds: ports.uptimeMs() / 1_000,
            liveSessions: ports.liveSessions(),
            spoolFiles: ports.spoolBacklog(),
            streams: ports.streams(),
            outcomes: await listOutcomes(),
          }),
          { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        ),
    ),
    shutdown: bind(ROUTES.shutdown, ({ env }) => {
      env.outgoing.once('close', () => ports.shutDown('requested'))
      return { ok: true as const }
    }),
  }
}
