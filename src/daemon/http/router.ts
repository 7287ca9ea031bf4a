import type { Log } from '../../kernel/ports/ports.ts'
import type { RouteName } from '../../api/route-table.ts'
import { ALREADY_SENT, type BoundRoute, type RequestEnv } from './bind.ts'
import { toJson } from './body.ts'
import { PlainReply, decodeSegment, plainRefusal, refusal, send, toLoggedRefusal } from './http-errors.ts'

export interface RouterOptions {
  readonly routes: Readonly<Record<RouteName, BoundRoute>>
  readonly log: Log
}

interface Candidate {
  readonly bound: BoundRoute
  readonly pattern: readonly string[]
}

/** The parameters of a path; undefined where it does not match. A last `*` stands for any number of segments. */
function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const isOpen = pattern.at(-1) === '*'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of fixed.entries()) {
    const segment = segments[index] ?? ''
    if (part.startsWith(':') && segment !== '') params[part.slice(1)] = decodeSegment(segment)
    else if (part !== segment) return undefined
  }
  return params
}

/** The first value of each name. */
function readQuery(search: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...new URLSearchParams(search)].reverse())
}

/**
 * Every request but hooks. Matches the table itself, on Node's own request and response: what works on `Request` and
 * `Response` makes Node load its HTTP client, which costs the daemon 13 MB on Node 20 and 18 MB on Node 24.
 */
export function createRouter({ routes, log }: RouterOptions): (env: RequestEnv) => Promise<void> {
  const { hook: _, ...routed } = routes
  const candidates: readonly Candidate[] = Object.values(routed).map((bound) => ({
    bound,
    pattern: bound.route.path.split('/'),
  }))

  async function answer(env: RequestEnv): Promise<PlainReply | typeof ALREADY_SENT> {
    const [target = '/'] = (env.incoming.url ?? '/').split('#')
    const queryAt = target.indexOf('?')
    const path = queryAt === -1 ? target : target.slice(0, queryAt)
    const method = env.incoming.method === 'HEAD' ? 'GET' : env.incoming.method
    const segments = path.split('/')
    for (const { bound, pattern } of candidates) {
      const params = bound.route.method === method ? matchPath(pattern, segments) : undefined
      if (params === undefined) continue
      const query = () => readQuery(queryAt === -1 ? '' : target.slice(queryAt + 1))
      try {
        const result = await bound.run({ env, params: () => params, query })
        if ('refused' in result) return plainRefusal(result.refused)
        if (result.answer === ALREADY_SENT) return ALREADY_SENT
        if (result.answer instanceof PlainReply) return result.answer
        return new PlainReply(200, toJson(result.answer), { 'content-type': 'application/json' })
      } catch (error) {
        return plainRefusal(toLoggedRefusal(error, bound.route.path, log))
      }
    }
    return plainRefusal(refusal('not-found', 'There is no such route.'))
  }

  return async (env) => {
    const reply = await answer(env)
    if (reply !== ALREADY_SENT) send(env.outgoing, reply)
  }
}
