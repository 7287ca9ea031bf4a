import type { ServerResponse } from 'node:http'
import { HoldfastError, HTTP_STATUS, getErrorMessage, type ErrorCode } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { redactOutput } from '../../redaction/redact-input.ts'

/** A reply that ends a request before its handler is called. */
export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function refusal(code: ErrorCode, message: string, more: Partial<Refusal> = {}): Refusal {
  return { status: HTTP_STATUS[code], code, message, ...more }
}

/** A thrown error as a reply. The message of an internal error is only in the log. */
function toRefusal(thrown: unknown): Refusal {
  if (!(thrown instanceof HoldfastError)) {
    return refusal('internal', 'Something went wrong inside Holdfast.', {
      hint: 'Run `holdfast daemon logs` to see what.',
    })
  }
  return refusal(thrown.code, thrown.message, thrown.hint === undefined ? {} : { hint: thrown.hint })
}

export function renderRefusal({ code, message, hint }: Refusal): string {
  // Messages quote the value in question, which may be anything that the caller sent.
  const shown = redactOutput({ message, ...(hint !== undefined && { hint }) })
  return JSON.stringify({ error: { code, ...shown } })
}

/** A whole reply: constructing a `Response` would take longer than sending it. */
export class PlainReply {
  readonly status: number
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: string | Buffer, headers: Readonly<Record<string, string>>) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export function plainRefusal(refused: Refusal): PlainReply {
  return new PlainReply(refused.status, renderRefusal(refused), {
    'content-type': 'application/json',
    ...refused.headers,
  })
}

export function send(outgoing: ServerResponse, { status, headers, body }: PlainReply): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** A part of a request's path; text that is not percent-encoded stays unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export function toLoggedRefusal(error: unknown, path: string, log: Log): Refusal {
  const refused = toRefusal(error)
  if (refused.status >= 500) {
    log.error('request failed', { route: path, code: refused.code, error: getErrorMessage(error) })
  }
  return refused.status === 413 ? { ...refused, headers: { connection: 'close' } } : refused
}
