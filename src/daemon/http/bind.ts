import type * as z from 'zod'
import { redactAcross, redactInput } from '../../redaction/redact-input.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'
import type { Route } from '../../api/route-table.ts'
import type { ReadonlyDeep } from '../../kernel/same-shape.ts'
import { readBody } from './body.ts'
import { refusal, type PlainAnswer, type Refusal } from './http-errors.ts'
import type { RequestEnv } from './request-env.ts'

type Part<R, Name extends string> =
  R extends Readonly<Record<Name, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined

export interface Input<R extends Route> {
  readonly params: Part<R, 'params'>
  readonly query: Part<R, 'query'>
  readonly body: Part<R, 'body'>
  readonly env: RequestEnv
}

/** The route's own reply, to be sent as JSON, or a whole answer where it answers in other types. */
export type Answer<R> =
  | Response
  | PlainAnswer
  | (R extends { readonly reply: infer Schema extends z.ZodType } ? ReadonlyDeep<z.output<Schema>> : never)

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

function refusalOfCaller(route: Route, { principal }: RequestEnv): Refusal | undefined {
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

/** The only way to make a route: none exists without the scope check in front of its handler. */
export function bind<R extends Route>(
  route: R,
  handle: (input: Input<R>) => Promise<Answer<R>> | Answer<R>,
): BoundRoute {
  const { redactedLater = [], redactedEach = [] } = route
  const whole = (value: unknown) => {
    const clean = redactInput(value, [...redactedLater, ...redactedEach])
    return redactedEach.length === 0 ? clean : redactAcross(clean)
  }
  const read = (schema: z.ZodType | undefined, value: () => unknown) =>
    schema === undefined ? undefined : parse(schema, whole(value()))
  return {
    route,
    async run({ env, params, query }) {
      const refused = refusalOfCaller(route, env)
      if (refused !== undefined) return { refused }
      const body = route.body === undefined ? undefined : parseJson(await readBody(env.incoming))
      const input: unknown = {
        params: read(route.params, params),
        query: read(route.query, query),
        body: read(route.body, () => body),
        env,
      }
      if (!isInputOf(route, input)) throw new Error('unreachable: the input was made from this route')
      return { answer: await handle(input) }
    },
  }
}

// The compiler cannot follow a generic route through its optional schemas; each part above was parsed with its own.
function isInputOf<R extends Route>(_route: R, input: unknown): input is Input<R> {
  return typeof input === 'object'
}
