import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { HoldfastError } from '../../../kernel/errors.ts'
import { VERSION } from '../../../platform/base/version.ts'
import type { Rate } from '../../../kernel/structures/token-bucket.ts'
import { createKeyedRateLimit, type KeyedRateLimit } from '../../keyed-rate-limit.ts'
import type { TeamCaller } from '../../team-role.ts'
import { hashSecret } from '../store/team-people.ts'
import { readBodyBytes } from '../../../platform/request-body.ts'
import { toErrorAnswer } from './team-errors.ts'
import { TEAM_ROUTES, type TeamAnswer, type TeamRoute, type TeamRouteDeps } from './team-routes.ts'

export interface TeamLimits {
  readonly perKey: Rate
  /** Requests without a valid key, by address: joining, and guessing keys. */
  readonly perAddress: Rate
  readonly maxRequestsAtOnce: number
}

export const DEFAULT_LIMITS: TeamLimits = {
  perKey: { perSecond: 200, burst: 2_000 },
  perAddress: { perSecond: 2, burst: 30 },
  maxRequestsAtOnce: 256,
}

export interface TeamAppOptions extends TeamRouteDeps {
  readonly isBehindProxy: boolean
  readonly limits: TeamLimits
  /** Why nothing can be served until an operator acts, such as a schema of another version. */
  findFault(): HoldfastError | undefined
  /** The same, and a store that is away. */
  findHealthFault(): HoldfastError | undefined
}

interface NodeBindings {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}
type TeamContext = Context<{ Bindings: NodeBindings }>

const MAX_JSON_BYTES = 65_536
const BEARER = /^Bearer ([A-Za-z0-9_-]{43})$/
/** Sent by proxies; a request with one of them did not come directly from this machine. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via']

interface Front {
  readonly options: TeamAppOptions
  readonly keys: KeyedRateLimit
  readonly addresses: KeyedRateLimit
  atOnce: number
}

/** The last address is the one that the proxy itself saw; all others can be made up by the client. */
function findAddress(context: TeamContext, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  return forwarded ?? context.env.incoming.socket.remoteAddress ?? ''
}

function takeOrRefuse(limit: KeyedRateLimit, key: string, metrics: TeamAppOptions['metrics']): void {
  const seconds = limit.take(key)
  if (seconds === undefined) return
  metrics.count('rate_limited')
  throw new HoldfastError('rate-limited', 'Too many requests.', { hint: `Try again in ${seconds} s.` })
}

/** Only requests that fail, or that have no key, take from the address: a team behind one address is not slowed. */
async function identifyCaller(context: TeamContext, { options, keys, addresses }: Front): Promise<TeamCaller> {
  const { store, metrics, isBehindProxy } = options
  const [, key] = BEARER.exec(context.req.header('authorization') ?? '') ?? []
  if (key !== undefined) {
    const keyHash = hashSecret(key)
    takeOrRefuse(keys, keyHash, metrics)
    const caller = await store.findCaller(keyHash)
    if (caller !== undefined) return caller
  }
  takeOrRefuse(addresses, findAddress(context, isBehindProxy), metrics)
  throw new HoldfastError(
    'unauthorized',
    key === undefined ? 'The request has no key.' : 'This key is unknown or revoked.',
    {
      hint: 'Join the team with an invite: `holdfast team join <link>`.',
    },
  )
}

const NOBODY: TeamCaller = { team: '', person: '', machine: '', role: 'reader' }

async function runRoute(route: TeamRoute, context: TeamContext, front: Front): Promise<TeamAnswer> {
  const { options } = front
  if (options.isBehindProxy && context.req.header('x-forwarded-proto') === 'http') {
    throw new HoldfastError('forbidden', 'The team server is used over https only.')
  }
  const fault = options.findFault()
  if (fault !== undefined) throw fault
  if (route.isOpen === true) takeOrRefuse(front.addresses, findAddress(context, options.isBehindProxy), options.metrics)
  const caller = route.isOpen === true ? NOBODY : await identifyCaller(context, front)
  const bytes = (maxBytes: number) => readBodyBytes(context.env.incoming, maxBytes)
  return route.run(
    {
      caller,
      params: context.req.param(),
      query: (name) => context.req.query(name),
      queries: (name) => context.req.queries(name) ?? [],
      bytes,
      async json() {
        try {
          return JSON.parse(new TextDecoder().decode(await bytes(MAX_JSON_BYTES)))
        } catch (thrown) {
          if (thrown instanceof HoldfastError) throw thrown
          throw new HoldfastError('invalid-input', 'The body is not JSON.')
        }
      },
    },
    options,
  )
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function toResponse(answer: TeamAnswer): Response {
  if (answer === undefined) return new Response(null, { status: 204, headers: COMMON })
  if (answer instanceof Uint8Array) {
    const body = Uint8Array.from(answer)
    return new Response(body, { headers: { ...COMMON, 'content-type': 'application/octet-stream' } })
  }
  return new Response(JSON.stringify(answer), { headers: { ...COMMON, 'content-type': 'application/json' } })
}

function toErrorResponse(thrown: unknown, path: string, { log }: TeamAppOptions): Response {
  const { status, body, retryAfter } = toErrorAnswer(thrown, path, log)
  const isUnread = status === 413 || status === 429
  return new Response(body, {
    status,
    headers: {
      ...COMMON,
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      // The rest of the body is not read.
      ...(isUnread && { connection: 'close' }),
    },
  })
}

async function serveRoute(route: TeamRoute, context: TeamContext, front: Front): Promise<Response> {
  const { options } = front
  const startedMs = options.clock.monotonicMs()
  front.atOnce += 1
  let response: Response
  try {
    if (front.atOnce > options.limits.maxRequestsAtOnce)
      throw new HoldfastError('store-unavailable', 'The team server has too many requests at once.')
    response = toResponse(await runRoute(route, context, front))
  } catch (thrown) {
    response = toErrorResponse(thrown, route.path, options)
  } finally {
    front.atOnce -= 1
  }
  const seconds = (options.clock.monotonicMs() - startedMs) / 1_000
  const path = route.path.replace(/[{].*[}]/, '')
  options.metrics.observe({ route: `${route.method} ${path}`, status: response.status, seconds })
  return response
}

function isDirectFromHere(context: TeamContext): boolean {
  const address = context.env.incoming.socket.remoteAddress ?? ''
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(address)
  return isLoopback && FORWARDED.every((name) => context.req.header(name) === undefined)
}

function renderMetrics({ options, atOnce }: Front): string {
  const usages = options.store.shards.map(({ usage }) => usage)
  const sum = (name: 'open' | 'idle' | 'waiting') => usages.reduce((total, usage) => total + usage[name], 0)
  return options.metrics.render([
    { name: 'requests_in_progress', help: 'Requests that are being served.', value: atOnce },
    { name: 'store_connections', help: 'Connections to PostgreSQL.', value: sum('open') },
    { name: 'store_connections_idle', help: 'Of them idle.', value: sum('idle') },
    { name: 'store_requests_waiting', help: 'Requests that wait for a connection.', value: sum('waiting') },
    {
      name: 'store_up',
      help: '1 while the store answers and its schema fits.',
      value: options.findHealthFault() ? 0 : 1,
    },
  ])
}

export function createTeamApp(options: TeamAppOptions): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const { limits, clock } = options
  const front: Front = {
    options,
    keys: createKeyedRateLimit(clock, limits.perKey),
    addresses: createKeyedRateLimit(clock, limits.perAddress),
    atOnce: 0,
  }
  const app = new Hono<{ Bindings: NodeBindings }>()
  app.get('/health', () => {
    const fault = options.findHealthFault()
    const body = {
      status: fault === undefined ? 'ok' : fault.code,
      version: VERSION,
      ...(fault && { message: fault.message }),
    }
    return new Response(JSON.stringify(body), {
      status: fault === undefined ? 200 : 503,
      headers: { ...COMMON, 'content-type': 'application/json' },
    })
  })
  app.get('/metrics', (context) =>
    isDirectFromHere(context)
      ? new Response(renderMetrics(front), { headers: { ...COMMON, 'content-type': 'text/plain; version=0.0.4' } })
      : context.notFound(),
  )
  app.get(
    '/join',
    () => new Response('Run `holdfast team join` with this whole link, in quotes.\n', { headers: COMMON }),
  )
  for (const route of TEAM_ROUTES) app.on(route.method, route.path, (context) => serveRoute(route, context, front))
  app.notFound(() => toErrorResponse(new HoldfastError('not-found', 'There is no such route.'), 'unknown', options))
  app.onError((error) => toErrorResponse(error, 'unknown', options))
  const serve = getRequestListener((request, bindings) => app.fetch(request, bindings))
  return (incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      options.log.error('a request broke', { error })
      outgoing.destroy()
    })
  }
}
