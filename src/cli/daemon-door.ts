import { exchange, ExchangeError } from '../client/http.ts'
import { HoldfastError } from '../core/errors.ts'
import type { Home } from '../platform/home.ts'
import { ErrorReply, HealthReply, LoginCodeReply } from '../protocol/daemon.ts'
import { HEADER } from '../protocol/headers.ts'
import { parse } from '../protocol/parse.ts'
import { ROUTES } from '../protocol/route-table.ts'

const DEADLINE_MS = 5_000
const MAX_REPLY_BYTES = 1_000_000

export type Health = ReturnType<typeof HealthReply.parse>
export type LoginCode = ReturnType<typeof LoginCodeReply.parse>

interface Call {
  readonly method: string
  readonly path: string
}

/** The JSON that the running daemon answers; undefined when nobody listens. Never starts it. */
async function ask(home: Home, { method, path }: Call): Promise<unknown> {
  try {
    const { status, body } = await exchange({
      socketPath: home.socket,
      method,
      path,
      headers: { 'Content-Type': 'application/json', [HEADER.client]: 'cli' },
      ...(method === 'POST' && { body: '{}' }),
      deadlineMs: DEADLINE_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
    })
    const answer: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'))
    if (status < 400) return answer
    const { code, message, hint } = parse(ErrorReply, answer).error
    throw new HoldfastError(code, message, hint === undefined ? {} : { hint })
  } catch (thrown) {
    if (thrown instanceof ExchangeError && thrown.fault === 'absent') return undefined
    if (thrown instanceof ExchangeError) {
      throw new HoldfastError('daemon-unavailable', 'The daemon is there, but does not answer as it should.', {
        hint: `Its log is ${home.daemonLog}. \`holdfast daemon stop\` ends it.`,
        cause: thrown,
      })
    }
    throw thrown
  }
}

/** How the daemon is; undefined when it does not run. */
export async function findHealth(home: Home): Promise<Health | undefined> {
  const answer = await ask(home, ROUTES.health)
  return answer === undefined ? undefined : parse(HealthReply, answer)
}

/** A link that opens the dashboard once; undefined when the daemon does not run. */
export async function createLoginCode(home: Home): Promise<LoginCode | undefined> {
  const answer = await ask(home, ROUTES.createLoginCode)
  return answer === undefined ? undefined : parse(LoginCodeReply, answer)
}

/** Asks it to stop; false when it does not run. */
export async function requestShutdown(home: Home): Promise<boolean> {
  return (await ask(home, ROUTES.shutdown)) !== undefined
}
