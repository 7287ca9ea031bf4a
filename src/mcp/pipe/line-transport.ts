import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

export interface LineTransport extends Transport {
  /** Bytes of the peer, as they come. */
  feed(chunk: Uint8Array): void
  /** The peer says no more; it may still listen. Closes once everything asked is answered. */
  finish(): void
}

export interface LineOut {
  write(text: string): void
  end(): void
}

/** As much as a body over HTTP may have. */
const MAX_MESSAGE_CHARS = 1_048_576
/** Past this a line is not even read for the id to refuse it under. */
const MAX_LINE_CHARS = 10_000_000
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value.jsonrpc === '2.0' && ('method' in value || 'result' in value || 'error' in value)
}

function idOf(value: unknown): string | number | undefined {
  const id = isRecord(value) ? value.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/**
 * JSON-RPC, one message to a line, over any stream. The SDK's own transport for that drops what is no JSON without a
 * word, and what is under way when the peer has said its last; both are answered here.
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

  function callOff(params: unknown): void {
    const id = idOf({ id: isRecord(params) ? params.requestId : undefined })
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
      refuse(idOf(value) ?? null, INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message.')
      return
    }
    const id = idOf(value)
    if (line.length > MAX_MESSAGE_CHARS) {
      refuse(id ?? null, INVALID_REQUEST, `Invalid request: a message has at most ${MAX_MESSAGE_CHARS} characters.`)
      return
    }
    if ('method' in value && id !== undefined) open.add(id)
    // A request that was called off is never answered.
    if ('method' in value && value.method === 'notifications/cancelled') callOff(value.params)
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
      const id = idOf(message)
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
