import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { ROUTES, type RouteName } from '../../api/route-table.ts'
import type { BoundRoute } from './bind.ts'
import { dress, refusalOfHead, type Listener } from './guard.ts'
import { PlainAnswer, plainRefusal, refusal, refusalOfError, refusalResponse, type Refusal } from './http-errors.ts'
import { toJson } from '../process/to-json.ts'
import { identify, type Credentials } from './identify.ts'
import type { RequestEnv } from './request-env.ts'
import type { PrincipalName } from './principal.ts'

interface Crowd {
  /** Requests worked on at once. */
  readonly inside: number
  /** Requests that may wait for that. */
  readonly waiting: number
}

/** More hooks at once make bigger group commits; more of anything else only makes memory. */
export const CROWDS: Readonly<Record<PrincipalName, Crowd>> = {
  owner: { inside: 128, waiting: 1_024 },
  hook: { inside: 128, waiting: 1_024 },
  api: { inside: 32, waiting: 64 },
  browser: { inside: 32, waiting: 64 },
  login: { inside: 4, waiting: 16 },
  anonymous: { inside: 16, waiting: 32 },
}

interface Turnstile {
  /** Resolves with the way out, to be called once; undefined when too many wait already. */
  enter(principal: PrincipalName): Promise<() => void> | undefined
}

export function createTurnstile(crowds: Readonly<Record<PrincipalName, Crowd>> = CROWDS): Turnstile {
  const halls = new Map<PrincipalName, { inside: number; queue: (() => void)[] }>()

  function hallOf(principal: PrincipalName) {
    const hall = halls.get(principal) ?? { inside: 0, queue: [] }
    halls.set(principal, hall)
    return hall
  }

  return {
    enter(principal) {
      const hall = hallOf(principal)
      let hasLeft = false
      const leave = () => {
        if (hasLeft) return
        hasLeft = true
        const next = hall.queue.shift()
        if (next === undefined) hall.inside -= 1
        else next()
      }
      if (hall.inside < crowds[principal].inside) {
        hall.inside += 1
        return Promise.resolve(leave)
      }
      if (hall.queue.length >= crowds[principal].waiting) return undefined
      return new Promise((resolve) => hall.queue.push(() => resolve(leave)))
    },
  }
}

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Hooks and our own clients are many and short (two hundred sessions at once); a token or a browser is one program. */
export const RATES: Readonly<Record<PrincipalName, Rate>> = {
  owner: { perSecond: 4_000, burst: 4_000 },
  hook: { perSecond: 4_000, burst: 4_000 },
  api: { perSecond: 500, burst: 1_000 },
  browser: { perSecond: 100, burst: 300 },
  // Only those who bring a good code, which is 256 random bits: what others try does not count against it.
  login: { perSecond: 10, burst: 20 },
  anonymous: { perSecond: 50, burst: 100 },
}

interface RateLimit {
  /** Seconds to wait before trying again; undefined when the request may pass. */
  take(principal: PrincipalName): number | undefined
}

export function createRateLimit(clock: Clock, rates: Readonly<Record<PrincipalName, Rate>> = RATES): RateLimit {
  const buckets = new Map<PrincipalName, { tokens: number; atMs: number }>()
  return {
    take(principal) {
      const { perSecond, burst } = rates[principal]
      const nowMs = clock.monotonicMs()
      const bucket = buckets.get(principal) ?? { tokens: burst, atMs: nowMs }
      const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond)
      const isAllowed = tokens >= 1
      buckets.set(principal, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
      return isAllowed ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond))
    },
  }
}

export interface AppDeps {
  readonly routes: Readonly<Record<RouteName, BoundRoute>>
  readonly credentials: Credentials
  readonly rateLimit?: RateLimit
  readonly turnstile?: Turnstile
  readonly clock: Clock
  readonly log: Log
  /** Told of every request that got in. */
  readonly onRequest: (path: string) => void
  /** Told of every answer, refusals included. */
  readonly onAnswer: (status: number) => void
}

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

function send(outgoing: ServerResponse, { status, headers, body }: PlainAnswer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** The rest of a refused body is not worth waiting for. */
function turnAway(outgoing: ServerResponse, refused: Refusal): void {
  send(outgoing, plainRefusal({ ...refused, headers: { connection: 'close', ...refused.headers } }))
}

function refusalOfFailure(error: unknown, path: string, log: Log): Refusal {
  const refused = refusalOfError(error)
  if (refused.status >= 500) {
    log.error('request failed', { route: path, code: refused.code, error: messageOf(error) })
  }
  return refused.status === 413 ? { ...refused, headers: { connection: 'close' } } : refused
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const HOOK_PATH = /^\/hook\/([^/?#]+)\/([^/?#]+)(?=$|\?)/

/** The parameters of the hook door's own path; undefined for any other request. */
function hookParams({ method, url }: IncomingMessage): Readonly<Record<string, string>> | undefined {
  const [, harness, hook] = (method === ROUTES.hook.method && HOOK_PATH.exec(url ?? '')) || []
  return harness === undefined || hook === undefined ? undefined : { harness: decoded(harness), hook: decoded(hook) }
}

type HonoEnv = { Bindings: RequestEnv }

function createRouter(deps: AppDeps): Hono<HonoEnv> {
  const hono = new Hono<HonoEnv>()
  const { hook: _, ...routed } = deps.routes
  for (const bound of Object.values(routed)) {
    hono.on(bound.route.method, bound.route.path, async (context) => {
      const { req, env } = context
      const result = await bound.run({ env, params: () => req.param(), query: () => req.query() })
      if ('refused' in result) return refusalResponse(result.refused)
      // By itself: it is Node's own Response, made before getRequestListener put its own in place of the global one.
      if (result.answer === RESPONSE_ALREADY_SENT) return RESPONSE_ALREADY_SENT
      if (result.answer instanceof Response) return result.answer
      if (result.answer instanceof PlainAnswer) return new Response(result.answer.body, result.answer)
      return new Response(toJson(result.answer), {
        headers: { 'content-type': 'application/json' },
      })
    })
  }
  hono.notFound(() => refusalResponse(refusal('not-found', 'There is no such route.')))
  hono.onError((error, context) => refusalResponse(refusalOfFailure(error, context.req.routePath, deps.log)))
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

  /** Hooks wait on every prompt and every tool: past the same checks, they go round the router. */
  async function serveHook(env: RequestEnv, params: Readonly<Record<string, string>>): Promise<void> {
    try {
      const result = await deps.routes.hook.run({ env, params: () => params, query: () => ({}) })
      if ('refused' in result) return send(env.outgoing, plainRefusal(result.refused))
      if (!(result.answer instanceof PlainAnswer)) throw new Error('The hook door gave no plain answer.')
      send(env.outgoing, result.answer)
    } catch (error) {
      send(env.outgoing, plainRefusal(refusalOfFailure(error, ROUTES.hook.path, deps.log)))
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener): Promise<void> {
    const arrivedMs = deps.clock.monotonicMs()
    dress(outgoing, incoming)
    outgoing.once('finish', () => deps.onAnswer(outgoing.statusCode))
    const refused = refusalOfHead(incoming, listener)
    if (refused !== undefined) return turnAway(outgoing, refused)

    const principal = identify(incoming, listener, deps.credentials)
    if (principal.name !== 'anonymous') listener.onKnown?.(incoming.socket)
    const retryAfter = rateLimit.take(principal.name)
    const entry = retryAfter === undefined ? turnstile.enter(principal.name) : undefined
    if (entry === undefined) {
      const headers = { 'retry-after': String(retryAfter ?? 1) }
      return turnAway(outgoing, refusal('rate-limited', 'Too many requests at once.', { headers }))
    }
    const leave = await entry
    outgoing.once('close', leave)
    if (outgoing.closed) return leave()

    deps.onRequest(incoming.url ?? '')
    const env = { incoming, outgoing, principal, arrivedMs, leave }
    const hook = hookParams(incoming)
    if (hook !== undefined) return await serveHook(env, hook)
    envs.set(incoming, env)
    await serve(incoming, outgoing)
  }

  return (listener) => (incoming, outgoing) => {
    handle(incoming, outgoing, listener).catch((error: unknown) => {
      deps.log.error('request broke', { error: messageOf(error) })
      outgoing.destroy()
    })
  }
}
