import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './principal.ts'

/** What a handler may know of the request beyond its parsed input. */
export interface RequestEnv {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly principal: Principal
  /** Monotonic. */
  readonly arrivedMs: number
  /** Gives the request's place in the crowd to the next one; for answers that stay open. */
  leave(): void
}
