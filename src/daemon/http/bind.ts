import type * as z from 'zod'
import { redactAcross, redactInput } from '../../redaction/redact-input.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'
import { toArguments, toReply, type Route, type UseCases } from '../../api/route.ts'
import { ROUTES, type UseCaseRoute } from '../../api/route-table.ts'
import type { ReadonlyDeep } from '../../kernel/json-shape.ts'
import { readBody } from './body.ts'
import { refusal, type PlainReply, type Refusal } from './http-errors.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './identify.ts'

/** What a handler may use of the request besides its parsed input. */
export interface RequestEnv {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly principal: Principal
  /** Monotonic. */
  readonly arrivedMs: number
  /** Releases the request's slot of the concurrency limit; for replies that stay open. */
  leave(): void
}

type RequestPart<R, Name extends string> =
  R extends Readonly<Record<Name, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined

export interface RouteInput<R extends Route> {
  readonly params: RequestPart<R, 'params'>
  readonly query: RequestPart<R, 'query'>
  readonly body: RequestPart<R, 'body'>
  readonly env: RequestEnv
}

/** The reply of a handler that writes to `outgoing` itself. */
export const ALREADY_SENT = Symbol('already sent')

/** The route's own reply, sent as JSON, or a whole reply in another content type. */
export type RouteReply<R> =
  | PlainReply
  | typeof ALREADY_SENT
  | (R extends { readonly reply: infer Schema extends z.ZodType } ? ReadonlyDeep<z.input<Schema>> : never)

/** A request whose route is known. */
export interface RouteCall {
  readonly env: RequestEnv
  readonly params: () => Readonly<Record<string, string>>
  readonly query: () => Readonly<Record<string, string>>
}

export interface BoundRoute {
  readonly route: Route
  /** Checks the caller's scope, parses, and calls the handler. */
  run(call: RouteCall): Promise<{ readonly refused: Refusal } | { readonly answer: unknown }>
}

function refuseCaller(route: Route, { principal }: RequestEnv): Refusal | undefined {
  if (!principal.scopes.has(route.scope)) {
    return principal.name === 'anonymous'
      ? refusal('unauthorized', 'This needs a token.', {
          hint: 'Send `Authorization: Bearer …` with the token in the Holdfast home, or open the link of `holdfast dashboard`.',
          headers: { 'www-authenticate': 'Bearer' },
        })
      : refusal('forbidden', `The token given does not allow this; it needs the scope ${route.scope}.`)
  }
  return undefined
}

interface ParsedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly env: RequestEnv
}

/** The only way to make a route: none exists without the scope check in front of its handler. */
function bindParsed(route: Route, handle: (input: ParsedInput) => unknown): BoundRoute {
  const { redactedLater = [], redactedEach = [] } = route
  const redact = (value: unknown) => {
    const clean = redactInput(value, [...redactedLater, ...redactedEach])
    return redactedEach.length === 0 ? clean : redactAcross(clean)
  }
  const read = (schema: z.ZodType | undefined, value: () => unknown) =>
    schema === undefined ? undefined : parse(schema, redact(value()))
  return {
    route,
    async run({ env, params, query }) {
      const refused = refuseCaller(route, env)
      if (refused !== undefined) return { refused }
      const body = route.body === undefined ? undefined : parseJson(await readBody(env.incoming))
      const answer = await handle({
        params: read(route.params, params),
        query: read(route.query, query),
        body: read(route.body, () => body),
        env,
      })
      return { answer }
    },
  }
}

/** A route with a handler of its own. */
export function bind<R extends Route>(
  route: R,
  handle: (input: RouteInput<R>) => Promise<RouteReply<R>> | RouteReply<R>,
): BoundRoute {
  return bindParsed(route, (input) => {
    if (!isRouteInput(route, input)) throw new Error('unreachable: the input was parsed with the schemas of this route')
    return handle(input)
  })
}

// The compiler cannot follow a generic route through its optional schemas; each part was parsed with its own.
function isRouteInput<R extends Route>(_route: R, input: unknown): input is RouteInput<R> {
  return typeof input === 'object'
}

/** A handler for each route that names a use case: parse, call, reply. */
export function bindUseCases(useCases: UseCases): Readonly<Record<UseCaseRoute, BoundRoute>> {
  const entries = Object.entries<Route>(ROUTES).flatMap(([name, route]) => {
    const [group, method] = route.useCase?.split('.') ?? []
    if (group === undefined || method === undefined) return []
    const handle = async ({ params, query, body }: ParsedInput) => {
      const owner: unknown = Reflect.get(useCases, group)
      const useCase = Reflect.get(Object(owner), method)
      const args = toArguments(route, Object.assign({}, params, query, body))
      return toReply(route, await Reflect.apply(useCase, owner, args))
    }
    return [[name, bindParsed(route, handle)]]
  })
  const bound: object = Object.fromEntries(entries)
  if (!isComplete(bound)) throw new Error('unreachable: every route with a use case was bound')
  return bound
}

function isComplete(bound: object): bound is Record<UseCaseRoute, BoundRoute> {
  return Object.entries<Route>(ROUTES).every(([name, { useCase }]) => useCase === undefined || name in bound)
}
