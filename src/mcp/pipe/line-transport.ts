import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../../kernel/json-shape.ts'

export interface LineTransport extends Transport {
  /** Bytes of the peer, as they come. */
  feed(chunk: Uint8Array): void
  /** The peer sends no more but may still read. Closes once every request is answered. */
  finish(): void
}

export interface LineOut {
  write(text: string): void
  end(): void
}

/** As much as a body over HTTP may have. */
const MAX_MESSAGE_CHARS = 1_048_576
/** A longer line is not parsed, not even for its id. */
const MAX_LINE_CHARS = 10_000_000
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

function isMessage(value: unknown): value is JSONRPCMessage {
  return isObject(value) && value.jsonrpc === '2.0' && ('method' in value || 'result' in value || 'error' in value)
}

function findId(value: unknown): string | number | undefined {
  const id = isObject(value) ? value.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/**
 * JSON-RPC, one message per line, over any stream. The SDK's own transport silently drops invalid JSON, and open requests
 * when the peer closes its end; both are answered here.
 */
export function createLineTransport(out: LineOut): LineTransport {
  const decoder = new TextDecoder()
  const open = new Set<string | number>()
  let rest = ''
  let isSkipping = false
  let isFinished = false
  let isClosed = false

  const refuse = (id: string | number | null, code: number, message: string) =>
    out.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)

  function cancel(params: unknown): void {
    const id = findId({ id: isObject(params) ? params.requestId : undefined })
    if (id !== undefined) open.delete(id)
  }

  function take(line: string): void {
    if (line.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      refuse(null, PARSE_ERROR, 'Parse error: each line must be one JSON-RPC message.')
      return
    }
    if (!isMessage(value)) {
      refuse(findId(value) ?? null, INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message.')
      return
    }
    const id = findId(value)
    if (line.length > MAX_MESSAGE_CHARS) {
      refuse(id ?? null, INVALID_REQUEST, `Invalid request: a message has at most ${MAX_MESSAGE_CHARS} characters.`)
      return
    }
    if ('method' in value && id !== undefined) open.add(id)
    // A cancelled request is never answered.
    if ('method' in value && value.method === 'notifications/cancelled') cancel(value.params)
    transport.onmessage?.(value)
  }

  function closeIfDone(): void {
    if (isFinished && open.size === 0) void transport.close()
  }

  const transport: LineTransport = {
    async start() {},
    async send(message) {
      if (isClosed) return
      out.write(`${JSON.stringify(message)}\n`)
      const id = findId(message)
      if (id !== undefined && !('method' in message)) open.delete(id)
      closeIfDone()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      out.end()
      transport.onclose?.()
    },
    feed(chunk) {
      const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n')
      rest = isSkipping ? '' : rest + first
      for (const next of lines) {
        const line = rest
        rest = next
        if (!isSkipping) take(line)
        isSkipping = false
      }
      if (rest.length <= MAX_LINE_CHARS) return
      refuse(null, INVALID_REQUEST, `Invalid request: a line has at most ${MAX_LINE_CHARS} characters.`)
      rest = ''
      isSkipping = true
    },
    finish() {
      const last = rest
      rest = ''
      take(last)
      isFinished = true
      closeIfDone()
    },
  }
  return transport
}
