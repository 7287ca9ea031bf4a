import type * as z from 'zod'
import { HoldfastError } from '../kernel/errors.ts'
import type { Home } from '../platform/base/home.ts'
import { ErrorReply } from '../wire/daemon.ts'
import { HEADER } from '../wire/headers.ts'
import { parse } from '../platform/base/parse.ts'
import type { Route } from '../api/route.ts'
import { exchange, ExchangeError, type HttpReply } from './http.ts'

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  /** Lists become `a,b`; undefined members are left out. */
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Calls a route of the daemon. Returns the parsed reply; throws the `HoldfastError` that the daemon threw. */
export type Call = <Reply extends z.ZodType>(
  route: Route & { readonly reply: Reply },
  input?: CallInput,
) => Promise<z.output<Reply>>

export interface CallOptions {
  readonly home: Home
  /** Ensures that the daemon runs; called before the first call, and again when it is absent. */
  readonly ensure: () => Promise<void>
  readonly timeoutMs: number
}

const MAX_REPLY_BYTES = 64_000_000

function renderValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function renderPath(route: Route, { params = {}, query = {} }: CallInput): string {
  const path = route.path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(renderValue(value))}`],
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function parseBody(reply: HttpReply): unknown {
  try {
    return JSON.parse(reply.body.toString('utf8'))
  } catch (thrown) {
    throw new HoldfastError(
      'daemon-unavailable',
      `The daemon answered ${reply.status} with something that is not JSON.`,
      {
        cause: thrown,
      },
    )
  }
}

function toError(reply: HttpReply): HoldfastError {
  const { code, message, hint } = parse(ErrorReply, parseBody(reply)).error
  return new HoldfastError(code, message, hint === undefined ? {} : { hint })
}

export function createCall({ home, ensure, timeoutMs }: CallOptions): Call {
  let isEnsured = false

  async function send(route: Route, input: CallInput): Promise<HttpReply> {
    if (!isEnsured) await ensure()
    isEnsured = true
    return exchange({
      socketPath: home.socket,
      method: route.method,
      path: renderPath(route, input),
      headers: { 'Content-Type': 'application/json', [HEADER.client]: 'cli' },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      deadlineMs: timeoutMs,
      maxReplyBytes: MAX_REPLY_BYTES,
    })
  }

  /** Starts a daemon again that stopped for idleness between two calls: it received nothing of this call. */
  async function sendWithRetry(route: Route, input: CallInput): Promise<HttpReply> {
    try {
      return await send(route, input)
    } catch (thrown) {
      if (!(thrown instanceof ExchangeError) || thrown.fault !== 'absent') throw thrown
      isEnsured = false
      return send(route, input)
    }
  }

  return async (route, input = {}) => {
    let reply: HttpReply
    try {
      reply = await sendWithRetry(route, input)
    } catch (thrown) {
      if (!(thrown instanceof ExchangeError)) throw thrown
      throw new HoldfastError(
        'daemon-unavailable',
        `The daemon did not answer ${route.method} ${route.path}: ${thrown.message}`,
        {
          hint: `Its log is ${home.daemonLog}.`,
          cause: thrown,
        },
      )
    }
    if (reply.status >= 400) throw toError(reply)
    return parse(route.reply, parseBody(reply))
  }
}
