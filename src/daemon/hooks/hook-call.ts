import { datedId, EventId } from '../../kernel/id.ts'
import type { Clock, Entropy } from '../../kernel/ports/ports.ts'
import type { Connector, Receipt } from '../../harness/contract/connector.ts'
import { HEADER } from '../../wire/headers.ts'
import { PlainAnswer, plainRefusal, refusal } from '../http/http-errors.ts'
import type { RequestEnv } from '../http/request-env.ts'

/** Of a harness that calls by itself and names none: its agent waits, and an event goes on being kept after the answer. */
const DEFAULT_DEADLINE_MS = 300
const MAX_DEADLINE_MS = 10_000

/** One hook's payload on its way in. */
export interface Call {
  readonly connector: Connector
  readonly hook: string
  readonly payload: unknown
  readonly receipt: Receipt
  readonly env: RequestEnv
}

function header(env: RequestEnv, name: string): string | undefined {
  const value = env.incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The launcher and the Node client name themselves; a harness that calls HTTP by itself does not. */
export function isOurClient(env: RequestEnv): boolean {
  return header(env, HEADER.client) !== undefined
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** What the hook prints; without `output` that there is nothing to say. */
export function reply(call: Pick<Call, 'connector' | 'env'>, output?: string): PlainAnswer {
  const isOurs = isOurClient(call.env)
  // A harness that calls HTTP itself wants its own JSON; our launcher prints whatever it is given.
  const type = isOurs ? 'text/plain; charset=utf-8' : 'application/json'
  return new PlainAnswer(200, output ?? (isOurs ? '' : call.connector.emptyReply), { 'content-type': type })
}

/**
 * Our client spools what was not kept, and prints `output` where there is one all the same.
 * A harness has nowhere to put it, and an error would only alarm its user.
 */
export function replyUnkept(call: Call, output?: string): PlainAnswer {
  if (!isOurClient(call.env)) return reply(call, output)
  if (output === undefined)
    return plainRefusal(refusal('store-unavailable', 'The event was not kept in time.', { hint: 'Spool it.' }))
  const headers = { 'content-type': 'text/plain; charset=utf-8', [HEADER.unkept]: '1' }
  return new PlainAnswer(503, output, headers)
}

/** How long the caller waits, from the request's arrival. */
export function deadlineOf(env: RequestEnv): number {
  return Math.min(numberIn(header(env, HEADER.deadlineMs)) ?? DEFAULT_DEADLINE_MS, MAX_DEADLINE_MS)
}

export interface ReceiptSources {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly startedAtOf: (pid: number) => string | undefined
}

/** As the hook process stamped it; what it left out is stamped here. */
export function receiptOf(env: RequestEnv, sources: ReceiptSources): Receipt {
  const stamp = header(env, HEADER.receivedAt)
  const received = stamp === undefined ? Number.NaN : Date.parse(stamp)
  const at = Number.isNaN(received) ? sources.clock.now() : new Date(received).toISOString()
  const given = header(env, HEADER.eventId) ?? ''
  const id = /^[\w.:-]{8,200}$/.test(given) ? given : datedId('event', at, sources.entropy.bytes(10))
  const pid = numberIn(header(env, HEADER.pid))
  return {
    id: EventId(id),
    at,
    door: 'hook',
    ...(pid !== undefined && { pid, pidStartedAt: sources.startedAtOf(pid) }),
  }
}
