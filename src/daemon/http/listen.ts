import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { ListenOptions, Socket } from 'node:net'
import { dirname } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { errnoOf } from '../../platform/base/errno.ts'
import type { RequestListener } from './http-app.ts'

interface ConnectionLimits {
  /** Connections that nobody has shown a credential on; beyond it the oldest idle ones go. */
  readonly unknown: number
  /** Beyond it they go at once, however young. */
  readonly unknownAtMost: number
  /** How long a new connection has to send its request before it can be taken for an idle one. */
  readonly graceMs: number
}

const LIMITS: ConnectionLimits = { unknown: 256, unknownAtMost: 1_024, graceMs: 250 }

interface ConnectionLimit {
  /** A new connection. */
  admit(socket: Socket): void
  /** A request on it is under way until the returned function is called. */
  occupy(socket: Socket): () => void
  /** A request on it carried a credential: it no longer counts. */
  trust(socket: Socket): void
  /** Connections without a credential. */
  readonly unknown: number
}

/**
 * Any user of this machine can connect to a loopback port, so connections without a credential make room for each other and never
 * take it from those with one. The oldest idle one goes first: whoever means to send a request has sent it by then.
 *
 * The uid behind a connection (/proc/net/tcp) decides nothing: a container or root may rightly come as another user with the
 * token, and reading that table for every connection costs more than a flood of idle ones does.
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

  /** The oldest that waits for nothing; when all are at work, the oldest. */
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
/** With a limit of their own for connections without a credential, this is only the last resort. */
const MAX_LIMITED_CONNECTIONS = 4_096

function newServer(listener: RequestListener): Server {
  const server = createServer(
    {
      // A request without a Host gets our own refusal, with our headers, and not Node's.
      requireHostHeader: false,
      headersTimeout: 5_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      // How often Node looks for what is late: by default it lets a silent connection stay for 30 s.
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

/** The folder may be one under the system's temporary folder, where others could have made it before us. */
function ensureOwnDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const facts = lstatSync(dir)
  if (!facts.isDirectory() || facts.uid !== process.getuid?.()) {
    throw new HoldfastError('forbidden', `${dir} is not a folder of this user, so the daemon puts no socket there.`)
  }
  if ((facts.mode & 0o077) !== 0) chmodSync(dir, 0o700)
}

/** Left behind by a daemon that was killed. Nobody can be using it: we hold the lock. */
function removeStaleSocket(path: string): void {
  try {
    if (!lstatSync(path).isSocket()) {
      throw new HoldfastError('conflict', `${path} is in the way: it is not a socket.`, { hint: `Move ${path} away.` })
    }
    unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
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

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new HoldfastError('internal', 'The server has no port.')
  return address.port
}

/** On the wanted port, or on any when another program has it. */
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
    const code = errnoOf(error)
    if (wanted === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    log.warn('port taken, using another', { wanted, code })
    return listenOnLoopback(0, listenerFor, { log, clock })
  }
  return { server, port: portOf(server) }
}

/** Lets requests that are under way finish; idle connections are closed at once. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
