import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { Log } from '../../kernel/ports/ports.ts'
import type { RouteName } from '../../api/route-table.ts'
import { ALREADY_SENT, type BoundRoute, type RequestEnv } from './bind.ts'
import { toJson } from './body.ts'
import { PlainReply, refusal, refusalResponse, toLoggedRefusal } from './http-errors.ts'

export interface RouterOptions {
  readonly routes: Readonly<Record<RouteName, BoundRoute>>
  readonly log: Log
}

type HonoEnv = { Bindings: RequestEnv }

function createHono(deps: RouterOptions): Hono<HonoEnv> {
  const hono = new Hono<HonoEnv>()
  const { hook: _, ...routed } = deps.routes
  for (const bound of Object.values(routed)) {
    hono.on(bound.route.method, bound.route.path, async (context) => {
      const { req, env } = context
      const result = await bound.run({ env, params: () => req.param(), query: () => req.query() })
      if ('refused' in result) return refusalResponse(result.refused)
      if (result.answer === ALREADY_SENT) return RESPONSE_ALREADY_SENT
      if (result.answer instanceof Response) return result.answer
      if (result.answer instanceof PlainReply) return new Response(result.answer.body, result.answer)
      return new Response(toJson(result.answer), {
        headers: { 'content-type': 'application/json' },
      })
    })
  }
  hono.notFound(() => refusalResponse(refusal('not-found', 'There is no such route.')))
  hono.onError((error, context) => refusalResponse(toLoggedRefusal(error, context.req.routePath, deps.log)))
  return hono
}

/** Every request but hooks. */
export function createRouter(options: RouterOptions): (env: RequestEnv) => Promise<void> {
  const router = createHono(options)
  const envs = new WeakMap<object, RequestEnv>()
  const serve = getRequestListener((request, { incoming }) => {
    const env = envs.get(incoming)
    return env === undefined
      ? refusalResponse(refusal('internal', 'The request has no known listener.'))
      : router.fetch(request, env)
  })
  return async (env) => {
    envs.set(env.incoming, env)
    await serve(env.incoming, env.outgoing)
  }
}
