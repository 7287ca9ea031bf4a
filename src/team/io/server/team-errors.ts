import { HoldfastError, type ErrorCode } from '../../../kernel/errors.ts'
import type { Log } from '../../../kernel/ports/ports.ts'

/** Complete: a new code does not compile until it has a status here. */
const TEAM_STATUS = {
  'invalid-input': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'secret-refused': 422,
  'rate-limited': 429,
  'settings-unreadable': 500,
  internal: 500,
  unsupported: 501,
  'store-unavailable': 503,
  'store-corrupt': 503,
  'store-too-old': 503,
  'store-too-new': 503,
  'store-not-yours': 503,
  'daemon-unavailable': 503,
} as const satisfies Record<ErrorCode, number>

export interface ErrorAnswer {
  readonly status: number
  readonly body: string
  readonly retryAfter?: number
}

const RETRY_SECONDS = 5

/** What a client may know: the message of an unexpected error is in the log only. */
export function toErrorAnswer(thrown: unknown, route: string, log: Log): ErrorAnswer {
  if (!(thrown instanceof HoldfastError)) {
    log.error('a request failed', { route, error: thrown })
    const error = { code: 'internal', message: 'Something went wrong on the team server.', hint: 'Its log says what.' }
    return { status: 500, body: JSON.stringify({ error }) }
  }
  const status = TEAM_STATUS[thrown.code]
  if (status >= 500) log.warn('a request could not be served', { route, error: thrown.cause ?? thrown })
  const { code, message, hint } = thrown
  const error = { code, message, ...(hint !== undefined && { hint }) }
  return { status, body: JSON.stringify({ error }), ...(status === 503 && { retryAfter: RETRY_SECONDS }) }
}
