import type { ExchangeFault } from '../client/http.ts'

/** One call of a hook by its harness. */
export interface HookCall {
  readonly harness: string
  readonly hook: string
  readonly body: Buffer
  readonly eventId: string
  /** By the clock of this process; the daemon stamps what reaches it. */
  readonly receivedAtMs: number
  readonly pid?: number
}

/** kept: the daemon has it, and `output` is its answer. unkept: it has an answer, and could not keep the event. refused: it read the payload and never will take it. The rest: nobody has it. */
export type Delivery =
  | { readonly outcome: 'kept' | 'unkept'; readonly output: Buffer }
  | { readonly outcome: 'refused' | 'failed'; readonly status: number }
  | { readonly outcome: ExchangeFault }
