import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { ListenOptions } from 'node:net'
import { dirname } from 'node:path'
import { HoldfastError } from '../core/errors.ts'
import type { Log } from '../core/ports.ts'
import { errnoOf } from '../platform/errno.ts'
import type { RequestListener } from './app.ts'

const MAX_CONNECTIONS = 1_024

function newServer(listener: RequestListener): Server {
  const server = createServer(
    // A request without a Host gets our own refusal, with our headers, and not Node's.
    { requireHostHeader: false, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
    listener,
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
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
  listener: RequestListener,
  log: Log,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = newServer(listener)
  try {
    await listening(server, { host: '127.0.0.1', port: wanted })
  } catch (error) {
    const code = errnoOf(error)
    if (wanted === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    log.warn('port taken, using another', { wanted, code })
    return listenOnLoopback(0, listener, log)
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
