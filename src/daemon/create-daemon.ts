import type { Clock, Log } from '../kernel/ports/ports.ts'
import { createRedactor } from '../redaction/redactor.ts'
import type { Home } from '../platform/base/home.ts'
import { createApp } from './http/http-app.ts'
import type { Backend } from './wiring/backend.ts'
import { type Background, createBackground } from './process/background.ts'
import { openCredentials } from './http/credentials.ts'
import type { Endpoint } from './http/endpoint.ts'
import { createMcpDoor, type McpDoor } from './http/mcp-endpoint.ts'
import { createMetrics } from './housekeeping/metrics.ts'
import { allRoutes } from './routes/all-routes.ts'
import { createSightings } from './housekeeping/sightings.ts'
import { createSpooling, type Spooling } from './housekeeping/spooling.ts'
import { createEventStream } from './http/sse.ts'
import { createStoreHealth } from './housekeeping/store-health.ts'

/** A program that looks in every minute must not keep the daemon for ever. */
const LOOKING_IN = new Set(['/api/health', '/api/metrics'])

export interface ServingDeps {
  readonly home: Home
  readonly backend: Backend
  readonly clock: Clock
  readonly log: Log
  readonly endpoint: () => Endpoint
  readonly uptimeMs: () => number
  readonly liveSessions: () => number
  /** Somebody used the daemon. */
  readonly onUse: () => void
  readonly shutDown: (reason: string) => void
}

export interface Serving {
  readonly listen: ReturnType<typeof createApp>
  readonly hookToken: string
  readonly background: Background
  readonly drain: Spooling['drain']
  /** Sets space aside, where there is none and room for it. */
  prepareForFullDisk(): Promise<void>
  readonly mcp: Pick<McpDoor, 'upgrade'>
  /** Open event streams and MCP pipes. */
  readonly streams: number
  /** Ends what would stay open. */
  close(): void
}

/** The daemon as its callers see it: tokens, routes and what they share. */
export function createServing(deps: ServingDeps): Serving {
  const { home, backend, clock, log } = deps
  const { engine, store } = backend
  const redactor = createRedactor()
  const redact = (text: string) => redactor.redact(text)
  const background = createBackground(log)
  const metrics = createMetrics()
  const credentials = openCredentials(home, clock)
  const mcp = createMcpDoor({
    continuity: engine,
    door: backend.door,
    tasks: backend.tasks,
    canRunCommands: backend.canRunCommands,
    clock,
    redact,
    log,
    onUse: deps.onUse,
  })
  const storeHealth = createStoreHealth(() => store.lastSeq(), clock, log)
  const record: Backend['engine']['record'] = (event) => storeHealth.watch(engine.record(event))
  const recordSighting: Backend['store']['recordSighting'] = (seen) => storeHealth.watch(store.recordSighting(seen))
  const sightings = createSightings({ store: { recordSighting }, background, clock })
  const stream = createEventStream({ continuity: engine, log })
  const spooling = createSpooling({ home, continuity: { ...engine, record }, sightings, clock, log })
  const unsubscribe = engine.subscribe((announcement) => {
    metrics.countAnnouncement(announcement.kind)
    stream.announce(announcement)
  })
  const routes = allRoutes({
    ...deps,
    engine,
    door: backend.door,
    tasks: backend.tasks,
    refusalOf: backend.refusalOf,
    record,
    sight: (seen) => sightings.note(seen),
    redact,
    background,
    metrics,
    browsers: credentials.browsers,
    stream,
    mcp,
    park: (entry) => spooling.park(entry),
    backlog: () => spooling.drain.settled(),
    lossNotice: () => spooling.fullDisk.notice(),
    storeHealth,
    spoolBacklog: () => spooling.drain.backlog,
    streams: () => stream.size,
  })
  const listen = createApp({
    routes,
    credentials,
    clock,
    log,
    onRequest: (path) => {
      if (!LOOKING_IN.has(path)) deps.onUse()
    },
    onAnswer: (status) => metrics.countRequest(status),
  })
  return {
    listen,
    hookToken: credentials.hookToken,
    background,
    drain: spooling.drain,
    prepareForFullDisk: () => spooling.fullDisk.prepare(),
    mcp,
    get streams() {
      return stream.size + mcp.size
    },
    close() {
      unsubscribe()
      stream.close()
      mcp.close()
      sightings.flush()
      metrics.close()
    },
  }
}
