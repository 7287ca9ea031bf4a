import { createServer, type Server } from 'node:http'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Clock, Log } from '../../../kernel/ports/ports.ts'
import { getErrorCode } from '../../../platform/base/errno.ts'
import { createServerMetrics } from '../../server-metrics.ts'
import { foundTeam, type OperatorKey } from '../store/team-people.ts'
import { openTeamStore, type TeamStore } from '../store/team-store.ts'
import { createTeamApp, DEFAULT_LIMITS, type TeamLimits } from './team-app.ts'

export interface ServeTeamOptions {
  readonly stores: readonly string[]
  readonly host: string
  readonly port: number
  readonly isBehindProxy: boolean
  /** Of the team that the first start creates. */
  readonly teamName: string
  readonly quotaBytes: number
  readonly connections: number
  readonly maxBatchBytes: number
  readonly resetsOperator: boolean
  readonly limits?: TeamLimits
  /** How often the store is looked at, besides every request. */
  readonly checkMs?: number
  readonly clock: Clock
  readonly log: Log
}

export interface TeamServer {
  readonly port: number
  readonly store: TeamStore
  /** When this start created the team, or a new key was wanted. */
  readonly operator: OperatorKey | undefined
  /** Requests that run are finished; what still runs after a time is cut off. */
  stop(): Promise<void>
}

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost'])
const CHECK_MS = 10_000
const GRACE_MS = 10_000
const SOCKET_IDLE_MS = 90_000
const MAX_CONNECTIONS = 4_096

function refuseOpenHost({ host, isBehindProxy }: ServeTeamOptions): void {
  if (LOOPBACK_HOSTS.has(host) || isBehindProxy) return
  throw new HoldfastError(
    'invalid-input',
    `${host} is reachable from other machines, and this server speaks plain HTTP.`,
    {
      hint: 'Leave `--host` out and put a TLS proxy on this machine. If the proxy is on another one, add `--behind-proxy` and let only the proxy reach the port.',
    },
  )
}

function listen(server: Server, { host, port }: ServeTeamOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) => {
      const isTaken = getErrorCode(thrown) === 'EADDRINUSE' || getErrorCode(thrown) === 'EACCES'
      reject(
        isTaken
          ? new HoldfastError('conflict', `Port ${port} of ${host} cannot be used: ${thrown.message}.`, {
              hint: 'Choose another one with `--port`.',
              cause: thrown,
            })
          : thrown,
      )
    })
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Looks at the store in between, so that a health check costs the store nothing. */
function watchStore(store: TeamStore, everyMs: number, log: Log) {
  let fault: HoldfastError | undefined
  let isLooking = false
  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await store.checkSchema()
      if (fault !== undefined) log.info('the store can be used again')
      fault = undefined
    } catch (thrown) {
      const found =
        thrown instanceof HoldfastError
          ? thrown
          : new HoldfastError('store-unavailable', 'The store of the team server cannot be used now.', {
              cause: thrown,
            })
      if (fault?.code !== found.code) log.error('the store cannot be used', { error: found.cause ?? found })
      fault = found
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), everyMs)
  timer.unref()
  return {
    // A store that is away is asked again by every request: it may be back.
    findFault: () => fault,
    findLastingFault: () => (fault?.code === 'store-unavailable' ? undefined : fault),
    stop: () => clearInterval(timer),
  }
}

/** Starts one front. Several may serve the same stores; none keeps anything that the others need. */
export async function serveTeam(options: ServeTeamOptions): Promise<TeamServer> {
  refuseOpenHost(options)
  const { clock, log, limits = DEFAULT_LIMITS, connections, maxBatchBytes, isBehindProxy } = options
  const store = await openTeamStore({ urls: options.stores, connections, clock, log })
  try {
    const { teamName, quotaBytes, resetsOperator } = options
    const operator = await foundTeam(store, { name: teamName, quotaBytes, isReset: resetsOperator })
    const watch = watchStore(store, options.checkMs ?? CHECK_MS, log)
    const metrics = createServerMetrics()
    const server = createServer(
      {
        headersTimeout: 10_000,
        // Of a whole request with its body: slower clients are cut off.
        requestTimeout: 30_000,
        // Longer than proxies keep theirs: who closes first must not be the one that is about to get a request.
        keepAliveTimeout: 75_000,
        connectionsCheckingInterval: 1_000,
      },
      createTeamApp({
        store,
        metrics,
        clock,
        log,
        maxBatchBytes,
        isBehindProxy,
        limits,
        findFault: watch.findLastingFault,
        findHealthFault: watch.findFault,
      }),
    )
    // Of a client that does not read its answer.
    server.timeout = SOCKET_IDLE_MS
    server.maxConnections = MAX_CONNECTIONS
    const port = await listen(server, options)
    log.info('team server started', { port, stores: options.stores.length })
    return {
      port,
      store,
      operator,
      async stop() {
        watch.stop()
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeIdleConnections()
        const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS)
        await closed
        clearTimeout(grace)
        await store[Symbol.asyncDispose]()
        log.info('team server stopped')
      },
    }
  } catch (thrown) {
    await store[Symbol.asyncDispose]()
    throw thrown
  }
}
