import type { Server } from 'node:http'
import type { Config } from '../kernel/config.ts'
import { HoldfastError, messageOf } from '../kernel/errors.ts'
import type { Clock, Log } from '../kernel/ports/ports.ts'
import type { Home } from '../platform/base/home.ts'
import { VERSION } from '../platform/base/version.ts'
import type { LockHandle } from '../storage/sqlite/connection/lock.ts'
import type { Backend } from './wiring/backend.ts'
import { callLaunchersBack, type Endpoint, findEndpoint, removeEndpoint, writeEndpoint } from './http/endpoint.ts'
import { lockHome, watchHome } from './process/home-lock.ts'
import { createHousekeeping, type IndexRefreshOptions } from './housekeeping/housekeeping.ts'
import { closeServer, listenOnLoopback, listenOnSocket } from './http/listen.ts'
import { shutDown } from './process/lifecycle.ts'
import { newToken } from './http/tokens.ts'
import { createServing } from './create-daemon.ts'

const SHUTDOWN_LIMIT_MS = 5_000

export interface DaemonOptions {
  readonly home: Home
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Given the lock under which the home may be written. */
  readonly openBackend: (lock: LockHandle['file']) => Promise<Backend>
  /**
   * The home was deleted or replaced by another: the process has to end at once, without tidying up at paths that are no longer
   * its own. Absent: nobody looks.
   */
  readonly onHomeLost?: () => void
  /** How often the schedule looks for due work; 0 leaves that to the caller. */
  readonly tickMs?: number
  readonly shutdownLimitMs?: number
  /** Whether the program on the disk is still the one that runs; always unless told. The next hook starts what took its place. */
  readonly isCurrent?: () => boolean
  /** Absent: no index is made anew by itself. */
  readonly indexRefresh?: IndexRefreshOptions
  /** Sends what the tasks of these checkouts have told. Absent: nothing is sent. */
  readonly deliverEvents?: (roots: readonly string[]) => Promise<void>
}

export interface RunningDaemon {
  readonly endpoint: Endpoint
  /** Resolves when everything accepted is kept and nothing is left behind, or the limit is reached. */
  stop(reason: string): Promise<void>
  /** Resolves after the stop, whoever asked for it. */
  readonly stopped: Promise<void>
  /** One round of the schedule. */
  tick(): Promise<void>
}

export type StartResult =
  | { readonly kind: 'started'; readonly daemon: RunningDaemon }
  /** Another daemon holds the lock; it may not have said yet where it is. */
  | { readonly kind: 'already-running'; readonly endpoint: Endpoint | undefined }

/** One daemon for each home: the kernel lock decides, and everything after it happens under it. */
export async function startDaemon(options: DaemonOptions): Promise<StartResult> {
  const { home } = options
  const lock = lockHome(home)
  if (lock === undefined) return { kind: 'already-running', endpoint: findEndpoint(home) }
  try {
    return { kind: 'started', daemon: await startLocked(options, lock) }
  } catch (error) {
    options.log.error('daemon did not start', { error: messageOf(error) })
    lock.release()
    throw error
  }
}

async function startLocked(options: DaemonOptions, lock: LockHandle): Promise<RunningDaemon> {
  const { home, config, clock, log } = options
  const startedMs = clock.monotonicMs()
  const backend = await options.openBackend(lock.file)
  const homeWatch = watchHome(lock.file, options.onHomeLost, log)
  const servers: Server[] = []
  let port: number | undefined
  let endpoint: Endpoint | undefined
  let stopping: Promise<void> | undefined
  let addressFault: string | undefined
  let resolveStopped: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve
  })

  const knownEndpoint = () => {
    if (endpoint === undefined) throw new HoldfastError('daemon-unavailable', 'The daemon is still starting.')
    return endpoint
  }
  const serving = createServing({
    home,
    backend,
    clock,
    log,
    endpoint: knownEndpoint,
    uptimeMs: () => clock.monotonicMs() - startedMs,
    liveSessions: () => housekeeping.liveSessions,
    onUse: () => housekeeping.idle.touch(),
    shutDown: (reason) => void stop(reason),
  })
  const housekeeping = createHousekeeping({
    engine: backend.engine,
    sweepSpool: () => {
      if (addressFault !== undefined) addressFault = sayWhere()
      callLaunchersBack(home)
      return serving.drain.settled()
    },
    prepareForFullDisk: () => serving.prepareForFullDisk(),
    streams: () => serving.streams,
    idleExitMs: config.daemon.idleExitMs,
    clock,
    log,
    onIdle: () => void stop('nobody needs it'),
    requireHome: () => homeWatch.look(),
    isCurrent: options.isCurrent ?? (() => true),
    onReplaced: () => void stop('its program was replaced'),
    background: serving.background,
    ...(options.indexRefresh !== undefined && { indexRefresh: options.indexRefresh }),
    ...(options.deliverEvents !== undefined && { deliverEvents: options.deliverEvents }),
  })

  /**
   * Says what is in the way, such as a full disk. The socket is where it always is, and what is kept can be read, so that clients need no more;
   * launchers do, and are told once there is room.
   */
  function sayWhere(): string | undefined {
    if (stopping !== undefined) return undefined
    try {
      writeEndpoint(home, knownEndpoint(), serving.hookToken)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  function stop(reason: string): Promise<void> {
    homeWatch.look()
    homeWatch.stop()
    stopping ??= shutDown(
      [
        { name: 'say goodbye', run: () => log.info('daemon stopping', { reason }) },
        { name: 'leave no address', run: () => removeEndpoint(home) },
        { name: 'leave indexes as they are', run: () => housekeeping.leaveIndexes() },
        { name: 'stop the schedule', run: () => housekeeping.schedule.stop() },
        { name: 'record how long the clock was watched', run: () => backend.engine.noteClock() },
        { name: 'end streams', run: () => serving.close() },
        { name: 'finish requests', run: () => Promise.all(servers.map(closeServer)) },
        { name: 'drop connections', run: () => servers.forEach((server) => server.closeAllConnections()) },
        { name: 'finish background work', run: () => serving.background.settled() },
        { name: 'compose what waits', run: () => backend.engine.drain() },
        { name: 'close the store', run: () => backend.close() },
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
    const local = await listenOnSocket(home.socket, homeWatch.before(serving.listen(bySocket)))
    local.on('upgrade', homeWatch.before(serving.mcp.upgrade(bySocket)))
    servers.push(local)
    const tcp = await listenOnLoopback(
      config.daemon.port,
      (onKnown) => homeWatch.before(serving.listen({ kind: 'tcp', port: () => port, onKnown })),
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
    await backend.close()
    throw error
  }
  addressFault = sayWhere()
  if (addressFault !== undefined) log.warn('address not written', { error: addressFault })
  log.info('daemon started', { pid: process.pid, port, version: VERSION })
  const replayed = serving.drain.settled()
  serving.background.follow('replaying the spool', replayed)
  serving.background.follow('setting space aside', serving.prepareForFullDisk())
  serving.background.follow('counting live sessions', housekeeping.countLive())
  if (options.tickMs !== 0) {
    // Whoever died with the last daemon has its last checkpoint ready before somebody asks for it.
    serving.background.follow('a first look at the sessions', replayed.then(housekeeping.attendSessions))
    housekeeping.schedule.start(options.tickMs ?? 5_000)
    homeWatch.start()
  }
  return { endpoint, stop, stopped, tick: () => housekeeping.schedule.tick() }
}
