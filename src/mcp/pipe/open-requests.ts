type Id = string | number

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

function read(line: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // The daemon answers what is no JSON; there is nothing to keep track of.
    return undefined
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}

export interface Broken {
  /** Safe to ask again: the answer is the same, and nothing is done twice. */
  readonly again: readonly Buffer[]
  /** Tool calls may have been done already: the agent is told so, and decides. */
  readonly answers: readonly string[]
}

/** Requests that went to the daemon and have no answer yet: what a broken connection owes its client. */
export class OpenRequests {
  readonly #open = new Map<Id, { readonly line: Buffer; readonly isCall: boolean }>()

  asked(line: Buffer): void {
    const message = read(line)
    if (message === undefined || typeof message.method !== 'string') return
    const { id, method, params } = message
    if (isId(id)) this.#open.set(id, { line, isCall: method === 'tools/call' })
    else if (method === 'notifications/cancelled') this.#callOff(params)
  }

  answered(line: Buffer): void {
    if (this.#open.size === 0) return
    const message = read(line)
    if (message !== undefined && message.method === undefined && isId(message.id)) this.#open.delete(message.id)
  }

  /** The connection is gone. What is asked again stays open; what is answered here does not. */
  broken(): Broken {
    const entries = [...this.#open]
    const calls = entries.filter(([, { isCall }]) => isCall)
    for (const [id] of calls) this.#open.delete(id)
    const text =
      'The Holdfast daemon went away while this was under way: it may or may not have been done. Look whether it was, and call again if not.'
    return {
      again: entries.filter(([, { isCall }]) => !isCall).map(([, { line }]) => line),
      answers: calls.map(([id]) =>
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }),
      ),
    }
  }

  /** An error for everything that is open: nobody will answer it any more. */
  refusals(message: string): readonly string[] {
    const ids = [...this.#open.keys()]
    this.#open.clear()
    return ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
  }

  #callOff(params: unknown): void {
    if (typeof params !== 'object' || params === null) return
    const id: unknown = Reflect.get(params, 'requestId')
    if (isId(id)) this.#open.delete(id)
  }
}
