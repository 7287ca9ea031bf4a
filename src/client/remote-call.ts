import type * as z from 'zod'
import { HoldfastError } from '../kernel/errors.ts'
import type { Home } from '../platform/base/home.ts'
import { ErrorReply } from '../wire/daemon.ts'
import { HEADER } from '../wire/headers.ts'
import { parse } from '../platform/base/parse.ts'
import type { Route } from '../api/route-table.ts'
import { exchange, ExchangeError, type HttpReply } from './http.ts'

type Value = string | number | readonly string[] | undefined

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  /** Lists become `a,b`; what is undefined is left out. */
  readonly query?: Readonly<Record<string, Value>>
  readonly body?: unknown
}

/** One call of a route of the daemon; the reply as its schema has it, and its refusals as the `HoldfastError` they were there. */
export type Call = <Reply extends z.ZodType>(
  route: Route & { readonly reply: Reply },
  input?: CallInput,
) => Promise<z.output<Reply>>

export interface CallOptions {
  readonly home: Home
  /** Makes sure that somebody listens; called before the first call, and again when nobody does. */
  readonly ensure: () => Promise<void>
  readonly timeoutMs: number
}

const MAX_REPLY_BYTES = 64_000_000

function pathOf(route: Route, { params = {}, query = {} }: CallInput): string {
  const path = route.path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}=${encodeURIComponent(typeof value === 'object' ? value.join(',') : String(value))}`],
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function parsed(reply: HttpReply): unknown {
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

function refusalIn(reply: HttpReply): HoldfastError {
  const { code, message, hint } = parse(ErrorReply, parsed(reply)).error
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
      path: pathOf(route, input),
      headers: { 'Content-Type': 'application/json', [HEADER.client]: 'cli' },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      deadlineMs: timeoutMs,
      maxReplyBytes: MAX_REPLY_BYTES,
    })
  }

  /** A daemon that left for want of work between two calls is started again: nothing of the call had reached it. */
  async function sendTwice(route: Route, input: CallInput): Promise<HttpReply> {
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
      reply = await sendTwice(route, input)
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
    if (reply.status >= 400) throw refusalIn(reply)
    return parse(route.reply, parsed(reply))
  }
}
