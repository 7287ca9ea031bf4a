import type { IncomingMessage, ServerResponse } from 'node:http'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { type Rate, takeToken, type TokenTaken } from '../../kernel/structures/token-bucket.ts'
import { ROUTES, type RouteName } from '../../api/route-table.ts'
import type { BoundRoute } from './bind.ts'
import { setSecurityHeaders, findHeadRefusal, type Listener } from './guard.ts'
import { PlainReply, decodeSegment, plainRefusal, refusal, send, toLoggedRefusal, type Refusal } from './http-errors.ts'
import { identify, type Credentials } from './identify.ts'
import type { RequestEnv } from './bind.ts'
import type { PrincipalName } from './identify.ts'

interface ConcurrencyLimit {
  /** Requests handled at once. */
  readonly active: number
  /** Requests that may queue. */
  readonly waiting: number
}

/** Many hooks at once make larger group commits; more of anything else only uses memory. */
export const CONCURRENCY_LIMITS: Readonly<Record<PrincipalName, ConcurrencyLimit>> = {
  owner: { active: 128, waiting: 1_024 },
  hook: { active: 128, waiting: 1_024 },
  api: { active: 32, waiting: 64 },
  browser: { active: 32, waiting: 64 },
  login: { active: 4, waiting: 16 },
  anonymous: { active: 16, waiting: 32 },
}

interface ConcurrencyLimiter {
  /** Resolves with a function that releases the slot; undefined when the queue is full. */
  enter(principal: PrincipalName): Promise<() => void> | undefined
}

export function createConcurrencyLimiter(
  limits: Readonly<Record<PrincipalName, ConcurrencyLimit>> = CONCURRENCY_LIMITS,
): ConcurrencyLimiter {
  const loads = new Map<PrincipalName, { active: number; queue: (() => void)[] }>()

  return {
    enter(principal) {
      const load = loads.get(principal) ?? { active: 0, queue: [] }
      loads.set(principal, load)
      let hasLeft = false
      const leave = () => {
        if (hasLeft) return
        hasLeft = true
        const next = load.queue.shift()
        if (next === undefined) load.active -= 1
        else next()
      }
      if (load.active < limits[principal].active) {
        load.active += 1
        return Promise.resolve(leave)
      }
      if (load.queue.length >= limits[principal].waiting) return undefined
      return new Promise((resolve) => load.queue.push(() => resolve(leave)))
    },
  }
}

/** Hooks and our own clients are many and short (two hundred sessions at once); a token or a browser is one program. */
export const RATES: Readonly<Record<PrincipalName, Rate>> = {
  owner: { perSecond: 4_000, burst: 4_000 },
  hook: { perSecond: 4_000, burst: 4_000 },
  api: { perSecond: 500, burst: 1_000 },
  browser: { perSecond: 100, burst: 300 },
  // Only callers with a valid code of 256 random bits; failed attempts do not count against it.
  login: { perSecond: 10, burst: 20 },
  anonymous: { perSecond: 50, burst: 100 },
}

interface RateLimit {
  /** Seconds to wait before trying again; undefined when the request may pass. */
  take(principal: PrincipalName): number | undefined
}

export function createRateLimit(clock: Clock, rates: Readonly<Record<PrincipalName, Rate>> = RATES): RateLimit {
  const buckets = new Map<PrincipalName, TokenTaken['bucket']>()
  return {
    take(principal) {
      const { bucket, retryAfter } = takeToken(buckets.get(principal), rates[principal], clock.monotonicMs())
      buckets.set(principal, bucket)
      return retryAfter
    },
  }
}

export interface HttpAppOptions {
  readonly routes: Readonly<Record<RouteName, BoundRoute>>
  readonly credentials: Credentials
  readonly rateLimit?: RateLimit
  readonly concurrencyLimiter?: ConcurrencyLimiter
  readonly clock: Clock
  readonly log: Log
  /** Called for every request that passed the checks. */
  readonly onRequest: (path: string) => void
  /** Called for every reply, refusals included. */
  readonly onAnswer: (status: number) => void
}

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Closes the connection: the rest of the body is not read. */
function reject(outgoing: ServerResponse, refused: Refusal): void {
  send(outgoing, plainRefusal({ ...refused, headers: { connection: 'close', ...refused.headers } }))
}

const HOOK_PATH = /^\/hook\/([^/?#]+)\/([^/?#]+)(?=$|\?)/

/** The parameters of a hook request's path; undefined for any other request. */
function findHookParams({ method, url }: IncomingMessage): Readonly<Record<string, string>> | undefined {
  const [, harness, hook] = (method === ROUTES.hook.method && HOOK_PATH.exec(url ?? '')) || []
  return harness === undefined || hook === undefined
    ? undefined
    : { harness: decodeSegment(harness), hook: decodeSegment(hook) }
}

/** Handles every request of both listeners: checks the head, identifies the caller, applies the limits, then routes. */
export function createHttpApp(deps: HttpAppOptions): (listener: Listener) => RequestListener {
  const rateLimit = deps.rateLimit ?? createRateLimit(deps.clock)
  const limiter = deps.concurrencyLimiter ?? createConcurrencyLimiter()
  let serve: Promise<(env: RequestEnv) => Promise<void>> | undefined

  /** Loaded with the first request that needs it: a session's start waits for the daemon's, and sends a hook. */
  async function route(env: RequestEnv): Promise<void> {
    serve ??= import('./router.ts').then(({ createRouter }) => createRouter(deps))
    return (await serve)(env)
  }

  /** Every prompt and tool waits for its hook, so hooks bypass the router after the same checks. */
  async function serveHook(env: RequestEnv, params: Readonly<Record<string, string>>): Promise<void> {
    try {
      const result = await deps.routes.hook.run({ env, params: () => params, query: () => ({}) })
      if ('refused' in result) return send(env.outgoing, plainRefusal(result.refused))
      if (!(result.answer instanceof PlainReply)) throw new Error('The hook route did not return a plain reply.')
      send(env.outgoing, result.answer)
    } catch (error) {
      send(env.outgoing, plainRefusal(toLoggedRefusal(error, ROUTES.hook.path, deps.log)))
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener): Promise<void> {
    const arrivedMs = deps.clock.monotonicMs()
    setSecurityHeaders(outgoing, incoming)
    outgoing.once('finish', () => deps.onAnswer(outgoing.statusCode))
    const refused = findHeadRefusal(incoming, listener)
    if (refused !== undefined) return reject(outgoing, refused)

    const principal = identify(incoming, listener, deps.credentials)
    if (principal.name !== 'anonymous') listener.onAuthenticated?.(incoming.socket)
    const retryAfter = rateLimit.take(principal.name)
    const entry = retryAfter === undefined ? limiter.enter(principal.name) : undefined
    if (entry === undefined) {
      const headers = { 'retry-after': String(retryAfter ?? 1) }
      return reject(outgoing, refusal('rate-limited', 'Too many requests at once.', { headers }))
    }
    const leave = await entry
    outgoing.once('close', leave)
    if (outgoing.closed) return leave()

    deps.onRequest(incoming.url ?? '')
    const env = { incoming, outgoing, principal, arrivedMs, leave }
    const hook = findHookParams(incoming)
    if (hook !== undefined) return await serveHook(env, hook)
    await route(env)
  }

  return (listener) => (incoming, outgoing) => {
    handle(incoming, outgoing, listener).catch((error: unknown) => {
      deps.log.error('request broke', { error: getErrorMessage(error) })
      outgoing.destroy()
    })
  }
}
