const NEWLINE = 0x0a

/** Splits bytes into complete lines, newline included, and buffers an incomplete one. */
export class LineBuffer {
  #rest: Buffer[] = []

  take(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = []
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(Buffer.concat([...this.#rest, chunk.subarray(from, at + 1)]))
      this.#rest = []
      from = at + 1
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from))
    return lines
  }

  /** The text after the last newline; undefined when there is none. */
  last(): Buffer | undefined {
    const rest = Buffer.concat(this.#rest)
    this.#rest = []
    return rest.length === 0 ? undefined : Buffer.concat([rest, Buffer.from('\n')])
  }

  /** Discards the incomplete line of a broken stream. */
  drop(): void {
    this.#rest = []
  }
}

type Id = string | number

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

function parseMessage(line: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // The daemon answers invalid JSON; there is no request to track.
    return undefined
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}

export interface BrokenRequests {
  /** Safe to send again: the reply is the same, and nothing is done twice. */
  readonly again: readonly Buffer[]
  /** Tool calls that may have been done already: the reply says so, and the agent decides. */
  readonly answers: readonly string[]
}

/** Requests that were sent to the daemon and have no reply yet. */
export class OpenRequests {
  readonly #open = new Map<Id, { readonly line: Buffer; readonly isCall: boolean }>()

  onRequest(line: Buffer): void {
    const message = parseMessage(line)
    if (message === undefined || typeof message.method !== 'string') return
    const { id, method, params } = message
    if (isId(id)) this.#open.set(id, { line, isCall: method === 'tools/call' })
    else if (method === 'notifications/cancelled') this.#cancel(params)
  }

  onReply(line: Buffer): void {
    if (this.#open.size === 0) return
    const message = parseMessage(line)
    if (message !== undefined && message.method === undefined && isId(message.id)) this.#open.delete(message.id)
  }

  /** The connection is gone. Requests to send again stay open; those answered here do not. */
  onDisconnect(): BrokenRequests {
    const entries = [...this.#open]
    const calls = entries.filter(([, { isCall }]) => isCall)
    for (const [id] of calls) this.#open.delete(id)
    const text =
      'The Holdfast daemon stopped during this call: it may or may not have been done. Check, and call again if it was not.'
    return {
      again: entries.filter(([, { isCall }]) => !isCall).map(([, { line }]) => line),
      answers: calls.map(([id]) =>
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }),
      ),
    }
  }

  get size(): number {
    return this.#open.size
  }

  /** An error for every open request: no reply will come. */
  refuseAll(message: string): readonly string[] {
    const ids = [...this.#open.keys()]
    this.#open.clear()
    return ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
  }

  #cancel(params: unknown): void {
    if (typeof params !== 'object' || params === null) return
    const id: unknown = Reflect.get(params, 'requestId')
    if (isId(id)) this.#open.delete(id)
  }
}
