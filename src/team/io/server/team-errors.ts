import { HoldfastError, HTTP_STATUS } from '../../../kernel/errors.ts'
import type { Log } from '../../../kernel/ports/ports.ts'

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
  const status = HTTP_STATUS[thrown.code]
  if (status >= 500) log.warn('a request could not be served', { route, error: thrown.cause ?? thrown })
  const { code, message, hint } = thrown
  const error = { code, message, ...(hint !== undefined && { hint }) }
  return { status, body: JSON.stringify({ error }), ...(status === 503 && { retryAfter: RETRY_SECONDS }) }
}
