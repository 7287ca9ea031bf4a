import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ListenOptions } from 'node:net'
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isSocketTrusted } from '../client/http.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { wallMs } from '../platform/base/clock.ts'
import { getErrorCode } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'
import { readLateSocket } from '../platform/launcher-file.ts'
import { HEADER } from '../wire/headers.ts'
import type { HookCall } from './deliver.ts'

const MAX_PAYLOAD_BYTES = 1_000_000
const PATH = /^\/hook\/([^/]+)\/([^/]+)$/

export interface LateReceiver {
  readonly port: number
  /** Required over TCP; the socket is in a private folder. */
  readonly token: string
  /** Its path, unique for each stand-in, so that no other one removes it. */
  readonly socket: string
  /** Events taken so far. */
  readonly taken: number
  /** Time since the last call; 0 while one is running. */
  quietMs(): number
  close(): Promise<void>
}

export interface LateReceiverOptions {
  readonly home: Home
  readonly log: Log
  /** Resolves with true once the call is durable. */
  readonly spoolCall: (call: HookCall) => Promise<boolean>
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...options, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Older sockets belong to killed stand-ins, unless they are published. */
const STALE_MS = 120_000

function removeStaleSockets(home: Home): void {
  const [folder, prefix] = [dirname(home.lateSocketPrefix), basename(home.lateSocketPrefix)]
  const named = readLateSocket(home)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(prefix) || name.length !== prefix.length + SUFFIX_CHARS || path === named) continue
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isSocket() === true && wallMs() - facts.mtimeMs > STALE_MS) rmSync(path, { force: true })
  }
}

const SUFFIX_CHARS = 3
const MAX_TRIES = 20

/** Listens on a new random name: bind fails when the name exists, so no socket is replaced. */
async function listenPrivately(server: Server, prefix: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const path = prefix + randomBytes(SUFFIX_CHARS).toString('base64url').slice(0, SUFFIX_CHARS)
    // Not chmod afterwards, which would allow other users to connect for a moment.
    const umask = process.umask(0o077)
    try {
      await listen(server, { path })
      return path
    } catch (thrown) {
      if (getErrorCode(thrown) !== 'EADDRINUSE' || tries === MAX_TRIES) throw thrown
    } finally {
      process.umask(umask)
    }
  }
}

/** Undefined for more than a hook may send. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size <= MAX_PAYLOAD_BYTES) chunks.push(chunk)
  }
  return size <= MAX_PAYLOAD_BYTES ? Buffer.concat(chunks) : undefined
}

/**
 * Redaction uses the env files of the folder in the payload. Without one it uses the hook's own folder, which is unknown
 * here: the Node client has to handle such a call.
 */
function hasFolder(body: Buffer): boolean {
  try {
    const payload: unknown = JSON.parse(body.toString('utf8'))
    if (typeof payload !== 'object' || payload === null || !('cwd' in payload)) return false
    return typeof payload.cwd === 'string' && isAbsolute(payload.cwd)
  } catch {
    // Not JSON.
    return false
  }
}

function parseCall(incoming: IncomingMessage, body: Buffer): HookCall | undefined {
  const [, harness, hook] = PATH.exec(incoming.url ?? '') ?? []
  if (incoming.method !== 'POST' || harness === undefined || hook === undefined) return undefined
  const header = (name: string) => String(incoming.headers[name] ?? '')
  const pid = header(HEADER.pid)
  const eventId = header(HEADER.eventId)
  return {
    harness: decodeURIComponent(harness),
    hook: decodeURIComponent(hook),
    body,
    eventId: /^[\w.:-]{8,128}$/.test(eventId) ? eventId : randomUUID(),
    receivedAtMs: wallMs(),
    ...(/^\d{1,10}$/.test(pid) ? { pid: Number(pid) } : {}),
  }
}

/** Accepts hook calls as the daemon does and spools each before it replies, always with an empty body. */
export async function openLateReceiver({ home, log, spoolCall: keep }: LateReceiverOptions): Promise<LateReceiver> {
  const token = randomBytes(32).toString('base64url')
  const expected = Buffer.from(`Bearer ${token}`)
  let taken = 0
  let open = 0
  let lastMs = performance.now()

  function isAllowed({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers.authorization ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  async function answer(incoming: IncomingMessage): Promise<number> {
    const body = await readBody(incoming)
    if (body === undefined) return 413
    const call = parseCall(incoming, body)
    if (call === undefined) return 404
    if (!hasFolder(body) || !(await keep(call))) return 503
    taken += 1
    return 200
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse, needsToken: boolean): Promise<void> {
    open += 1
    let status = 401
    try {
      if (!needsToken || isAllowed(incoming)) status = await answer(incoming)
    } catch (thrown) {
      status = 503
      log.warn('stand-in could not take an event', { cause: getErrorMessage(thrown) })
    } finally {
      open -= 1
      lastMs = performance.now()
    }
    outgoing.writeHead(status, { 'content-length': '0', connection: 'close' }).end()
  }

  const tcp = createServer((incoming, outgoing) => void serve(incoming, outgoing, true))
  await listen(tcp, { host: '127.0.0.1', port: 0 })
  const servers = [tcp]
  // A path without a listener, for launchers that use curl: curl ignores an empty path.
  let socket = `${home.lateSocketPrefix}none`
  if (process.platform !== 'win32' && isSocketTrusted(home)) {
    const local = createServer((incoming, outgoing) => void serve(incoming, outgoing, false))
    mkdirSync(dirname(home.lateSocketPrefix), { recursive: true, mode: 0o700 })
    removeStaleSockets(home)
    socket = await listenPrivately(local, home.lateSocketPrefix)
    servers.push(local)
  }
  const address = tcp.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    token,
    socket,
    get taken() {
      return taken
    },
    quietMs: () => (open > 0 ? 0 : performance.now() - lastMs),
    async close() {
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
      // A connection on which nothing is ever sent would keep its server open.
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
    },
  }
}
