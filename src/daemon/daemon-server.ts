import type { Clock, Log } from '../kernel/ports/ports.ts'
import { createRedactor } from '../redaction/redactor.ts'
import type { Home } from '../platform/base/home.ts'
import { createHttpApp } from './http/http-app.ts'
import type { App } from './wiring/app.ts'
import { type Background, createBackground } from './process/background.ts'
import { openCredentials } from './http/identify.ts'
import type { Endpoint } from './http/endpoint.ts'
import { createMcpEndpoint, type McpEndpoint } from './http/mcp-endpoint.ts'
import { createMetrics } from './housekeeping/metrics.ts'
import { createRoutes, type RoutePorts } from './routes/create-routes.ts'
import { createHookSightings } from './housekeeping/hook-sightings.ts'
import { createDaemonSpool, type DaemonSpool } from './housekeeping/daemon-spool.ts'
import { createEventStream } from './http/sse.ts'
import { createStoreHealth } from './housekeeping/store-health.ts'

/** A monitoring program that calls these every minute must not keep the daemon running. */
const PROBE_PATHS = new Set(['/api/health', '/api/metrics'])

export interface DaemonServerOptions {
  readonly home: Home
  readonly config: RoutePorts['config']
  readonly app: App
  readonly clock: Clock
  readonly log: Log
  readonly endpoint: () => Endpoint
  readonly uptimeMs: () => number
  readonly liveSessions: () => number
  /** Called on each use of the daemon. */
  readonly onUse: () => void
  readonly shutDown: (reason: string) => void
  /** The folder of the built browser application. Absent: pages without script. */
  readonly dashboardDir?: string
  /** Absent: the dashboard cannot start an import. */
  readonly importRun?: RoutePorts['importRun']
}

export interface DaemonServer {
  readonly listen: ReturnType<typeof createHttpApp>
  readonly hookToken: string
  readonly background: Background
  readonly drain: DaemonSpool['drain']
  /** Reserves disk space unless that was done. */
  prepareForFullDisk(): Promise<void>
  readonly mcp: Pick<McpEndpoint, 'upgrade'>
  /** Open event streams and MCP pipes. */
  readonly streams: number
  /** Closes streams and pipes and writes what is pending. */
  close(): void
}

/** The request side of the daemon: credentials, routes, and the state that they share. */
export function createDaemonServer(ports: DaemonServerOptions): DaemonServer {
  const { home, app, clock, log } = ports
  const { continuity, store } = app
  const redactor = createRedactor()
  const redact = (text: string) => redactor.redact(text)
  const background = createBackground(log)
  const metrics = createMetrics(clock)
  const credentials = openCredentials(home, clock)
  const mcp = createMcpEndpoint({
    continuity,
    agentApi: app.agentApi,
    tasks: app.tasks,
    canRunCommands: app.canRunCommands,
    chooseTools: app.chooseTools,
    usePiecesFile: app.usePiecesFile,
    findDegradedTask: app.findDegradedTask,
    clock,
    redact,
    log,
    onUse: ports.onUse,
  })
  const storeHealth = createStoreHealth(() => store.lastSeq(), clock, log)
  const record: App['continuity']['record'] = (event) => storeHealth.watch(continuity.record(event))
  const recordSighting: App['store']['recordSighting'] = (seen) => storeHealth.watch(store.recordSighting(seen))
  const sightings = createHookSightings({ store: { recordSighting }, background, clock })
  const stream = createEventStream({ continuity, log })
  const spooling = createDaemonSpool({ home, continuity: { ...continuity, record }, sightings, clock, log })
  const unsubscribe = continuity.subscribe((announcement) => {
    metrics.countAnnouncement(announcement.kind)
    stream.announce(announcement)
  })
  const routes = createRoutes({
    ...ports,
    continuity,
    agentApi: app.agentApi,
    tasks: app.tasks,
    sync: app.sync,
    findRefusal: app.findRefusal,
    record,
    noteSighting: (seen) => sightings.note(seen),
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
  const listen = createHttpApp({
    routes,
    credentials,
    clock,
    log,
    onRequest: (path) => {
      if (!PROBE_PATHS.has(path)) ports.onUse()
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
      ports.importRun?.stop()
    },
  }
}
