import { createConnection, type Socket } from 'node:net'
import { getErrorCode } from '../../platform/base/errno.ts'
import { readEnvironment } from '../../harness/descriptor/environment.ts'
import { HEADER } from '../../wire/headers.ts'

// No library is imported here, because the pipe loads this file.

/** Upgraded on the Unix socket to lines of JSON-RPC, both ways. */
export const PIPE_PATH = '/mcp/stdio'
export const PIPE_PROTOCOL = 'holdfast-mcp'

/** The request that opens a pipe, with the caller as read from the environment. */
export function renderOpeningRequest(env: NodeJS.ProcessEnv, cwd: string): string {
  const { harness, sessionKey, directory = cwd } = readEnvironment(env)
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  const facts = [
    [HEADER.client, 'mcp'],
    [HEADER.cwd, encoded(directory)],
    ...(env.HOLDFAST_MCP_TOOLS ? [[HEADER.tools, encoded(env.HOLDFAST_MCP_TOOLS)]] : []),
    ...(env.PIECES_DB_PATH ? [[HEADER.pieces, encoded(env.PIECES_DB_PATH)]] : []),
    ...(harness === undefined || sessionKey === undefined
      ? []
      : [
          [HEADER.sessionKey, encoded(sessionKey)],
          [HEADER.harness, harness],
        ]),
  ]
  const lines = [
    `GET ${PIPE_PATH} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    `Upgrade: ${PIPE_PROTOCOL}`,
    ...facts.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

export type LinkEnd =
  /** No listener. */
  | { readonly why: 'absent' }
  /** The listener does not speak this protocol. */
  | { readonly why: 'refused'; readonly status: string }
  /** The open connection ended. */
  | { readonly why: 'closed' }
  | { readonly why: 'failed'; readonly code: string }

export interface LinkHandlers {
  readonly onOpen: () => void
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: (end: LinkEnd) => void
}

export interface DaemonLink {
  write(bytes: Buffer): void
  /** Closes the sending side and still reads. */
  finish(): void
  pause(): void
  resume(): void
}

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 16_384
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])

/** One connection to the daemon, opened by `request` and upgraded to bytes both ways. */
export function openLink(path: string, request: string, handlers: LinkHandlers): DaemonLink {
  const socket: Socket = createConnection({ path, allowHalfOpen: true })
  let head = Buffer.alloc(0)
  let isOpen = false
  let isOver = false

  const over = (end: LinkEnd) => {
    if (isOver) return
    isOver = true
    socket.destroy()
    handlers.onEnd(end)
  }

  function readHead(chunk: Buffer): void {
    head = Buffer.concat([head, chunk])
    const at = head.indexOf(HEAD_END)
    if (at === -1 && head.length <= MAX_HEAD_BYTES) return
    const status = /^HTTP\/1\.1 (\d{3})/.exec(head.toString('latin1'))?.[1] ?? 'none'
    if (at === -1 || status !== '101') return over({ why: 'refused', status })
    isOpen = true
    handlers.onOpen()
    const rest = head.subarray(at + HEAD_END.length)
    if (rest.length > 0) handlers.onData(rest)
  }

  // Sent before the connection is established: saves one turn of the event loop.
  socket.write(request)
  socket.on('data', (chunk) => (isOpen ? handlers.onData(chunk) : readHead(chunk)))
  socket.on('end', () => over({ why: 'closed' }))
  socket.on('close', () => over({ why: 'closed' }))
  socket.on('error', (thrown) => {
    const code = getErrorCode(thrown) ?? 'unknown'
    if (isOpen) over({ why: 'closed' })
    else over(ABSENT.has(code) ? { why: 'absent' } : { why: 'failed', code })
  })
  return {
    write: (bytes) => void (isOver || socket.write(bytes)),
    finish: () => void (isOver || socket.end()),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
}
