import type { Server } from 'node:http'
import type { Config } from '../kernel/config.ts'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import type { Clock, Log } from '../kernel/ports/ports.ts'
import type { Home } from '../platform/base/home.ts'
import { VERSION } from '../platform/base/version.ts'
import type { LockHandle } from '../storage/sqlite/connection/lock.ts'
import type { App } from './wiring/app.ts'
import { clearLateMark, type Endpoint, findEndpoint, removeEndpoint, writeEndpoint } from './http/endpoint.ts'
import { lockHome, watchHome } from './process/home-lock.ts'
import { createHousekeeping, type IndexRefreshOptions } from './housekeeping/housekeeping.ts'
import { closeServer, listenOnLoopback, listenOnSocket } from './http/listen.ts'
import { shutDown } from './process/lifecycle.ts'
import { newToken } from './http/tokens.ts'
import { createDaemonServer, type DaemonServerOptions } from './daemon-server.ts'

const SHUTDOWN_LIMIT_MS = 5_000
const FIRST_CHECK_MS = 1_000

export interface DaemonOptions {
  readonly home: Home
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Receives the lock that allows writes to the home. */
  readonly openApp: (lock: LockHandle['file']) => Promise<App>
  /**
   * The home was deleted or replaced: the process must end at once and not clean up paths that are no longer its own.
   * Absent: not checked.
   */
  readonly onHomeLost?: () => void
  /** How often the schedule checks for due work; 0 leaves that to the caller. */
  readonly tickMs?: number
  readonly shutdownLimitMs?: number
  /** Whether the program file is still the running one; default: always. When it is not, the daemon stops and the next hook starts the new one. */
  readonly isCurrent?: () => boolean
  /** Absent: indexes are not refreshed. */
  readonly indexRefresh?: IndexRefreshOptions
  /** Sends the outbox events of the tasks in these checkouts. Absent: nothing is sent. */
  readonly deliverEvents?: (roots: readonly string[]) => Promise<void>
  /** The folder of the built browser application. Absent: the dashboard has no script. */
  readonly dashboardDir?: string
  /** Absent: the dashboard cannot start an import. */
  readonly importRun?: DaemonServerOptions['importRun']
  /** Called on each use of the daemon. */
  readonly onUse?: () => void
}

export interface RunningDaemon {
  readonly endpoint: Endpoint
  /** Resolves when everything accepted is stored and all files are removed, or the limit is reached. */
  stop(reason: string): Promise<void>
  /** Resolves after the stop, whatever caused it. */
  readonly stopped: Promise<void>
  /** One round of the schedule. */
  tick(): Promise<void>
}

export type DaemonStartResult =
  | { readonly kind: 'started'; readonly daemon: RunningDaemon }
  /** Another daemon holds the lock; its address may not be known yet. */
  | { readonly kind: 'already-running'; readonly endpoint: Endpoint | undefined }

/** One daemon for each home, decided by a kernel lock that is held until the daemon exits. */
export async function startDaemon(options: DaemonOptions): Promise<DaemonStartResult> {
  const { home } = options
  const lock = lockHome(home)
  if (lock === undefined) return { kind: 'already-running', endpoint: findEndpoint(home) }
  try {
    return { kind: 'started', daemon: await startLocked(options, lock) }
  } catch (error) {
    options.log.error('daemon did not start', { error: getErrorMessage(error) })
    lock.release()
    throw error
  }
}

async function startLocked(options: DaemonOptions, lock: LockHandle): Promise<RunningDaemon> {
  const { home, config, clock, log } = options
  const startedMs = clock.monotonicMs()
  const app = await options.openApp(lock.file)
  const homeWatch = watchHome(lock.file, options.onHomeLost, log)
  const servers: Server[] = []
  let port: number | undefined
  let endpoint: Endpoint | undefined
  let stopping: Promise<void> | undefined
  let addressError: string | undefined
  let firstCheck: NodeJS.Timeout | undefined
  let resolveStopped: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve
  })

  const knownEndpoint = () => {
    if (endpoint === undefined) throw new HoldfastError('daemon-unavailable', 'The daemon is still starting.')
    return endpoint
  }
  const server = createDaemonServer({
    home,
    config,
    app,
    clock,
    log,
    endpoint: knownEndpoint,
    uptimeMs: () => clock.monotonicMs() - startedMs,
    liveSessions: () => housekeeping.liveSessions,
    onUse: () => {
      housekeeping.idle.touch()
      options.onUse?.()
    },
    shutDown: (reason) => void stop(reason),
    ...(options.dashboardDir !== undefined && { dashboardDir: options.dashboardDir }),
    ...(options.importRun !== undefined && { importRun: options.importRun }),
  })
  const housekeeping = createHousekeeping({
    continuity: app.continuity,
    sweepSpool: () => {
      if (addressError !== undefined) addressError = publishAddress()
      clearLateMark(home)
      return server.drain.settled()
    },
    prepareForFullDisk: () => server.prepareForFullDisk(),
    streams: () => server.streams,
    idleExitMs: config.daemon.idleExitMs,
    clock,
    log,
    onIdle: () => void stop('idle'),
    requireHome: () => homeWatch.check(),
    isCurrent: options.isCurrent ?? (() => true),
    onReplaced: () => void stop('its program was replaced'),
    background: server.background,
    exchange: () => app.sync.tick(),
    ...(options.indexRefresh !== undefined && { indexRefresh: options.indexRefresh }),
    ...(options.deliverEvents !== undefined && { deliverEvents: options.deliverEvents }),
  })

  /**
   * Writes the address file; returns the error, such as a full disk. Clients can do without it because the socket's path
   * is fixed; launchers need it, so the spool sweep retries.
   */
  function publishAddress(): string | undefined {
    if (stopping !== undefined) return undefined
    try {
      writeEndpoint(home, knownEndpoint(), server.hookToken)
      return undefined
    } catch (error) {
      return getErrorMessage(error)
    }
  }

  function stop(reason: string): Promise<void> {
    homeWatch.check()
    homeWatch.stop()
    clearTimeout(firstCheck)
    stopping ??= shutDown(
      [
        { name: 'log the stop', run: () => log.info('daemon stopping', { reason }) },
        { name: 'remove the address', run: () => removeEndpoint(home) },
        { name: 'stop the index refresh', run: () => housekeeping.stopIndexRefresh() },
        { name: 'stop the schedule', run: () => housekeeping.schedule.stop() },
        { name: 'record how long the clock was trusted', run: () => app.continuity.noteClock() },
        { name: 'end streams', run: () => server.close() },
        { name: 'finish requests', run: () => Promise.all(servers.map(closeServer)) },
        { name: 'drop connections', run: () => servers.forEach((server) => server.closeAllConnections()) },
        { name: 'finish background work', run: () => server.background.settled() },
        { name: 'compose pending checkpoints', run: () => app.continuity.drain() },
        { name: 'close the store', run: () => app.close() },
      ],
      options.shutdownLimitMs ?? SHUTDOWN_LIMIT_MS,
      log,
    ).finally(() => {
      lock.release()
      log.info('daemon stopped', { reason })
      resolveStopped()
    })
    return stopping
  }

  try {
    const bySocket = { kind: 'socket', port: () => port } as const
    const local = await listenOnSocket(home.socket, homeWatch.before(server.listen(bySocket)))
    local.on('upgrade', homeWatch.before(server.mcp.upgrade(bySocket)))
    servers.push(local)
    const tcp = await listenOnLoopback(
      config.daemon.port,
      (onAuthenticated) => homeWatch.before(server.listen({ kind: 'tcp', port: () => port, onAuthenticated })),
      { log, clock },
    )
    servers.push(tcp.server)
    port = tcp.port
    endpoint = {
      pid: process.pid,
      startedAt: clock.now(),
      port,
      socket: home.socket,
      version: VERSION,
      nonce: newToken(),
    }
  } catch (error) {
    for (const server of servers) server.close()
    removeEndpoint(home)
    await app.close()
    throw error
  }
  addressError = publishAddress()
  if (addressError !== undefined) log.warn('address not written', { error: addressError })
  log.info('daemon started', { pid: process.pid, port, version: VERSION })
  const replayed = server.drain.settled()
  server.background.follow('replaying the spool', replayed)
  server.background.follow('reserving disk space', server.prepareForFullDisk())
  server.background.follow('counting live sessions', housekeeping.countLive())
  if (options.tickMs !== 0) {
    // Sessions that died with the last daemon get their last checkpoint, after the session whose start started this one.
    firstCheck = setTimeout(() => {
      server.background.follow('a first check of the sessions', replayed.then(housekeeping.attendSessions))
    }, FIRST_CHECK_MS)
    firstCheck.unref()
    housekeeping.schedule.start(options.tickMs ?? 5_000)
    homeWatch.start()
  }
  return { endpoint, stop, stopped, tick: () => housekeeping.schedule.tick() }
}
