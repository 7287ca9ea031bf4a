import type { Asked, Step } from './model-script.ts'

export interface ProtocolRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

export interface ProtocolReply {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** Absent for a request that no model reads, such as a token count. */
  readonly asked?: Asked
}

/** How one vendor's clients speak to their model. A new client brings its protocol as one file that exports one of these. */
export interface ModelProtocol {
  readonly name: string
  /** Undefined when the request is not of this protocol. */
  answer(request: ProtocolRequest, play: (asked: Asked) => Step): ProtocolReply | undefined
}

export function jsonReply(status: number, value: unknown): ProtocolReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) }
}
