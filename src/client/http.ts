import { connect } from 'node:net'
import { getErrorCode } from '../platform/base/errno.ts'
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Home } from '../platform/base/home.ts'

/**
 * Whether the folder of the socket is private. In the home it is by construction; a socket in the shared temporary folder (for
 * homes with very long paths) could belong to another user, and would receive our prompts.
 */
export function isSocketTrusted(home: Pick<Home, 'socket' | 'runDir'>): boolean {
  if (process.platform === 'win32' || home.socket.startsWith(`${home.runDir}/`)) return true
  const facts = lstatSync(dirname(home.socket), { throwIfNoEntry: false })
  return facts === undefined || (facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0)
}

/** absent: no listener. late: no complete reply within the deadline. broken: the reply is not HTTP, cut off or too large. */
export type ExchangeFault = 'absent' | 'late' | 'broken'

export class ExchangeError extends Error {
  readonly fault: ExchangeFault
  constructor(fault: ExchangeFault, message: string) {
    super(message)
    this.fault = fault
  }
}

export interface HttpRequest {
  readonly socketPath: string
  readonly method: string
  /** Already percent-encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** From now. */
  readonly deadlineMs: number
  readonly maxReplyBytes: number
  /** Called once the request was sent, to do work while waiting for the reply. */
  readonly meanwhile?: () => void
}

export interface HttpReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Refusals that a retry cannot change. */
export const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 413, 422])

const MAX_HEAD_BYTES = 16_384
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR', 'EACCES', 'EPERM', 'EAGAIN'])

interface ResponseHead {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly length: number
}

function parseHead(bytes: Buffer): ResponseHead | undefined {
  const length = bytes.indexOf('\r\n\r\n')
  if (length === -1) {
    if (bytes.length > MAX_HEAD_BYTES) throw new ExchangeError('broken', 'The reply has no end of headers.')
    return undefined
  }
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, length).split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]
  if (status === undefined) throw new ExchangeError('broken', 'The reply is not HTTP.')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { status: Number(status), headers: new Map(headers), length: length + 4 }
}

/** The body once complete; undefined while more must come. */
function dechunk(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = /^([0-9a-f]{1,8})(?:;|$)/i.exec(bytes.toString('latin1', at, lineEnd))?.[1]
    if (size === undefined) throw new ExchangeError('broken', 'A chunk of the reply has no size.')
    const from = lineEnd + 2
    const to = from + Number.parseInt(size, 16)
    if (to === from) return Buffer.concat(parts)
    if (bytes.length < to + 2) return undefined
    parts.push(bytes.subarray(from, to))
    at = to + 2
  }
}

/** The reply once complete; undefined while more must come. */
function parseReply(bytes: Buffer, isOver: boolean): HttpReply | undefined {
  const head = parseHead(bytes)
  if (head === undefined) return undefined
  const { status, headers } = head
  const rest = bytes.subarray(head.length)
  if (status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = dechunk(rest)
    return body === undefined ? undefined : { status, headers, body }
  }
  const declared = headers.get('content-length')
  if (declared === undefined) return isOver ? { status, headers, body: rest } : undefined
  if (!/^\d{1,10}$/.test(declared)) throw new ExchangeError('broken', 'The reply has no readable length.')
  const length = Number(declared)
  return rest.length < length ? undefined : { status, headers, body: rest.subarray(0, length) }
}

/** Parsed while waiting for the real reply, so that Node has compiled the parser by then. */
const SAMPLE_REPLY = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{')

/** How many bytes a complete reply has; 0 when that is not known yet. */
function findExpectedSize(bytes: Buffer): number {
  const head = parseHead(bytes)
  return head === undefined ? 0 : head.length + Number(head.headers.get('content-length') ?? 0)
}

function renderHead(request: HttpRequest, bodyBytes: number): string {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${request.method} ${request.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${bodyBytes}\r\n${headers.join('')}\r\n`
}

/**
 * One HTTP exchange over a Unix socket or named pipe, written by hand: node:http costs a hook 10 ms of start-up.
 * Rejects with an `ExchangeError`, never later than the deadline.
 */
export function exchange(request: HttpRequest): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? Buffer.alloc(0))
    const head = Buffer.from(renderHead(request, body.length))
    // Without `Buffer.concat`, which a hook would have to compile.
    const bytes = Buffer.allocUnsafe(head.length + body.length)
    bytes.set(head)
    bytes.set(body, head.length)
    const chunks: Buffer[] = []
    let size = 0
    let wholeAt = 0
    let isConnected = false
    let isSettled = false
    let timer: NodeJS.Timeout | undefined
    // `onread` bypasses the stream code, which a hook would have to compile.
    const socket = connect({
      path: request.socketPath,
      onread: {
        buffer: Buffer.allocUnsafe(65_536),
        callback(count, buffer) {
          take(Buffer.from(buffer.subarray(0, count)))
          return true
        },
      },
    })
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
    }
    const abandon = (error: Error) => {
      settle()
      socket.destroy()
      reject(error)
    }
    const fail = (fault: ExchangeFault, message: string) => abandon(new ExchangeError(fault, message))
    // A process that was busy finds deadline and reply at once; the reply is handled first.
    const expire = () => setImmediate(() => fail('late', `No answer within ${request.deadlineMs} ms.`))
    // A Unix socket connects within this turn of the loop: the request is sent first, then the rest is compiled while waiting.
    setImmediate(() => {
      if (isSettled) return
      timer = setTimeout(expire, request.deadlineMs)
      parseReply(SAMPLE_REPLY, false)
      request.meanwhile?.()
    })
    const consider = (isOver: boolean) => {
      try {
        const arrived = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
        const reply = parseReply(arrived, isOver)
        if (reply !== undefined) {
          // The daemon closes the connection; closing it here would cost a hook a millisecond.
          settle()
          resolve(reply)
        } else if (isOver) fail('broken', 'The reply is cut off.')
        else wholeAt = findExpectedSize(arrived)
      } catch (thrown) {
        abandon(thrown instanceof Error ? thrown : new ExchangeError('broken', String(thrown)))
      }
    }
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > request.maxReplyBytes + MAX_HEAD_BYTES) fail('broken', 'The reply is too large.')
      else if (size >= wholeAt) consider(false)
    }
    socket.on('connect', () => {
      isConnected = true
      socket.write(bytes)
    })
    socket.on('end', () => consider(true))
    socket.on('error', (thrown) => {
      const code = getErrorCode(thrown) ?? 'unknown'
      fail(!isConnected && ABSENT.has(code) ? 'absent' : 'broken', code)
    })
  })
}
