import { createConnection, type Socket } from 'node:net'
import { errnoOf } from '../../platform/base/errno.ts'

export type LinkEnd =
  /** Nobody listens there. */
  | { readonly why: 'absent' }
  /** Somebody listens, and does not speak this. */
  | { readonly why: 'refused'; readonly status: string }
  /** It was open, and is no more. */
  | { readonly why: 'closed' }
  | { readonly why: 'failed'; readonly code: string }

export interface LinkHandlers {
  readonly onOpen: () => void
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: (end: LinkEnd) => void
}

export interface DaemonLink {
  write(bytes: Buffer): void
  /** Says that no more comes, and goes on listening. */
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

  // Sent before the connection stands: one turn of the event loop less.
  socket.write(request)
  socket.on('data', (chunk) => (isOpen ? handlers.onData(chunk) : readHead(chunk)))
  socket.on('end', () => over({ why: 'closed' }))
  socket.on('close', () => over({ why: 'closed' }))
  socket.on('error', (thrown) => {
    const code = errnoOf(thrown) ?? 'unknown'
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
