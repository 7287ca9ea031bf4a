import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import type { ListenOptions, Socket } from 'node:net'
import { dirname } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import type { RequestListener } from './http-app.ts'

interface ConnectionLimits {
  /** Connections without a credential; above it the oldest idle ones are closed. */
  readonly unknown: number
  /** Above it connections are closed at once, however new. */
  readonly unknownAtMost: number
  /** How long a new connection may take to send its request before it counts as idle. */
  readonly graceMs: number
}

const LIMITS: ConnectionLimits = { unknown: 256, unknownAtMost: 1_024, graceMs: 250 }

interface ConnectionLimit {
  /** A new connection. */
  admit(socket: Socket): void
  /** A request is running on it until the returned function is called. */
  occupy(socket: Socket): () => void
  /** A request on it carried a credential: it no longer counts. */
  trust(socket: Socket): void
  /** Connections without a credential. */
  readonly unknown: number
}

/**
 * Any user of this machine can connect to a loopback port, so connections without a credential have their own limit. The
 * oldest idle one is closed first: a real client has sent its request by then.
 *
 * The uid behind a connection (/proc/net/tcp) is not used: a container or root may connect as another user with the token,
 * and reading that table for every connection costs more than a flood of idle ones.
 */
export function createConnectionLimit(monotonicMs: () => number, limits: ConnectionLimits = LIMITS): ConnectionLimit {
  /** Since when, oldest first. */
  const unknown = new Map<Socket, number>()
  const busy = new Set<Socket>()
  let sweeping: NodeJS.Timeout | undefined

  function drop(socket: Socket): void {
    unknown.delete(socket)
    socket.destroy()
  }

  /** The oldest idle one; when all are busy, the oldest. */
  function oldest(): Socket | undefined {
    for (const socket of unknown.keys()) if (!busy.has(socket)) return socket
    return unknown.keys().next().value
  }

  function sweep(): void {
    sweeping = undefined
    const youngestMs = monotonicMs() - limits.graceMs
    for (const [socket, sinceMs] of [...unknown]) {
      if (unknown.size <= limits.unknown || sinceMs > youngestMs) break
      if (!busy.has(socket)) drop(socket)
    }
    if (unknown.size > limits.unknown) sweepSoon()
  }

  function sweepSoon(): void {
    sweeping ??= setTimeout(sweep, limits.graceMs).unref()
  }

  return {
    admit(socket) {
      unknown.set(socket, monotonicMs())
      socket.once('close', () => unknown.delete(socket))
      if (unknown.size > limits.unknown) sweepSoon()
      const victim = unknown.size > limits.unknownAtMost ? oldest() : undefined
      if (victim !== undefined) drop(victim)
    },
    occupy(socket) {
      busy.add(socket)
      return () => busy.delete(socket)
    },
    trust: (socket) => unknown.delete(socket),
    get unknown() {
      return unknown.size
    },
  }
}

const MAX_CONNECTIONS = 1_024
/** The last resort; connections without a credential have their own limit. */
const MAX_LIMITED_CONNECTIONS = 4_096

function newServer(listener: RequestListener): Server {
  // An `import` of it reads every export, and with that loads Node's HTTP client: 14 MB on Node 24.
  const server = process.getBuiltinModule('node:http').createServer(
    {
      // A request without a Host gets our own refusal, with our headers, instead of Node's.
      requireHostHeader: false,
      headersTimeout: 5_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      // How often Node checks for timeouts: by default a silent connection stays for 30 s.
      connectionsCheckingInterval: 1_000,
    },
    listener,
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
}

function limitConnections(server: Server, limit: ConnectionLimit): void {
  server.maxConnections = MAX_LIMITED_CONNECTIONS
  server.on('connection', (socket) => limit.admit(socket))
  server.on('request', ({ socket }, outgoing) => {
    outgoing.once('close', limit.occupy(socket))
  })
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...options, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** The folder may be below the system's temporary folder, where another user could have created it. */
function ensureOwnDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const facts = lstatSync(dir)
  if (!facts.isDirectory() || facts.uid !== process.getuid?.()) {
    throw new HoldfastError('forbidden', `${dir} is not a folder of this user, so the daemon puts no socket there.`)
  }
  if ((facts.mode & 0o077) !== 0) chmodSync(dir, 0o700)
}

/** Left behind by a killed daemon. Nothing uses it, because we hold the lock. */
function removeStaleSocket(path: string): void {
  try {
    if (!lstatSync(path).isSocket()) {
      throw new HoldfastError('conflict', `${path} exists and is not a socket.`, { hint: `Move ${path} away.` })
    }
    unlinkSync(path)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Call it only while holding the lock. */
export async function listenOnSocket(path: string, listener: RequestListener): Promise<Server> {
  const server = newServer(listener)
  if (process.platform === 'win32') {
    await listening(server, { path })
    return server
  }
  ensureOwnDir(dirname(path))
  removeStaleSocket(path)
  await listening(server, { path })
  chmodSync(path, 0o600)
  return server
}

function getPort(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new HoldfastError('internal', 'The server has no port.')
  return address.port
}

/** On the configured port, or on any free one when another program has it. */
export async function listenOnLoopback(
  wanted: number,
  listenerFor: (onKnown: (socket: Socket) => void) => RequestListener,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): Promise<{ readonly server: Server; readonly port: number }> {
  const limit = createConnectionLimit(() => clock.monotonicMs())
  const server = newServer(listenerFor((socket) => limit.trust(socket)))
  limitConnections(server, limit)
  try {
    await listening(server, { host: '127.0.0.1', port: wanted })
  } catch (error) {
    const code = getErrorCode(error)
    if (wanted === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    log.warn('port taken, using another', { wanted, code })
    return listenOnLoopback(0, listenerFor, { log, clock })
  }
  return { server, port: getPort(server) }
}

/** Lets running requests finish; idle connections are closed at once. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
