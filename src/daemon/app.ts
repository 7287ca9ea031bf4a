import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { messageOf } from '../core/errors.ts'
import type { Clock, Log } from '../core/ports.ts'
import type { RouteName } from '../protocol/route-table.ts'
import type { BoundRoute, HonoEnv } from './bind.ts'
import { dress, refusalOfHead, type Listener } from './guard.ts'
import { refusal, refusalBody, refusalOfError, refusalResponse, type Refusal } from './http-errors.ts'
import { toJson } from './to-json.ts'
import { identify, type Credentials } from './identify.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import type { RequestEnv } from './request-env.ts'
import { createTurnstile, type Turnstile } from './turnstile.ts'

export interface AppDeps {
  readonly routes: Readonly<Record<RouteName, BoundRoute>>
  readonly credentials: Credentials
  readonly rateLimit?: RateLimit
  readonly turnstile?: Turnstile
  readonly clock: Clock
  readonly log: Log
  readonly redact: (text: string) => string
  /** Told of every request that got in. */
  readonly onRequest: (path: string) => void
  /** Told of every answer, refusals included. */
  readonly onAnswer: (status: number) => void
}

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

function send(outgoing: ServerResponse, refused: Refusal): void {
  // The rest of a refused body is not worth waiting for.
  outgoing.writeHead(refused.status, { 'content-type': 'application/json', connection: 'close', ...refused.headers })
  outgoing.end(refusalBody(refused))
}

function createRouter(deps: AppDeps): Hono<HonoEnv> {
  const hono = new Hono<HonoEnv>()
  for (const bound of Object.values(deps.routes)) {
    hono.on(bound.route.method, bound.route.path, async (context) => {
      const result = await bound.run(context)
      if ('refused' in result) return refusalResponse(result.refused)
      // By itself: it is Node's own Response, made before getRequestListener put its own in place of the global one.
      if (result.answer === RESPONSE_ALREADY_SENT) return RESPONSE_ALREADY_SENT
      if (result.answer instanceof Response) return result.answer
      return new Response(toJson(result.answer, deps.redact), {
        headers: { 'content-type': 'application/json' },
      })
    })
  }
  hono.notFound(() => refusalResponse(refusal('not-found', 'There is no such route.')))
  hono.onError((error, context) => {
    const refused = refusalOfError(error)
    if (refused.status >= 500) {
      deps.log.error('request failed', { route: context.req.routePath, code: refused.code, error: messageOf(error) })
    }
    return refusalResponse(refused.status === 413 ? { ...refused, headers: { connection: 'close' } } : refused)
  })
  return hono
}

/** Every request of both listeners comes through here: the checks of the head, who it is, how many, and then the routes. */
export function createApp(deps: AppDeps): (listener: Listener) => RequestListener {
  const router = createRouter(deps)
  const rateLimit = deps.rateLimit ?? createRateLimit(deps.clock)
  const turnstile = deps.turnstile ?? createTurnstile()
  const envs = new WeakMap<object, RequestEnv>()
  const serve = getRequestListener((request, { incoming }) => {
    const env = envs.get(incoming)
    return env === undefined
      ? refusalResponse(refusal('internal', 'The request came in by an unknown way.'))
      : router.fetch(request, env)
  })

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener): Promise<void> {
    const arrivedMs = deps.clock.monotonicMs()
    dress(outgoing, incoming)
    outgoing.once('finish', () => deps.onAnswer(outgoing.statusCode))
    const refused = refusalOfHead(incoming, listener)
    if (refused !== undefined) return send(outgoing, refused)

    const principal = identify(incoming, listener, deps.credentials)
    const retryAfter = rateLimit.take(principal.name)
    const entry = retryAfter === undefined ? turnstile.enter(principal.name) : undefined
    if (entry === undefined) {
      const headers = { 'retry-after': String(retryAfter ?? 1) }
      return send(outgoing, refusal('rate-limited', 'Too many requests at once.', { headers }))
    }
    const leave = await entry
    outgoing.once('close', leave)
    if (outgoing.closed) return leave()

    deps.onRequest(incoming.url ?? '')
    envs.set(incoming, { incoming, outgoing, principal, arrivedMs, leave })
    await serve(incoming, outgoing)
  }

  return (listener) => (incoming, outgoing) => {
    handle(incoming, outgoing, listener).catch((error: unknown) => {
      deps.log.error('request broke', { error: messageOf(error) })
      outgoing.destroy()
    })
  }
}
