import { exchange, ExchangeError } from '../client/http.ts'
import { isSocketTrusted } from '../client/socket-trust.ts'
import type { Home } from '../platform/base/home.ts'
import { HEADER } from '../wire/headers.ts'
import { mayAwaitStart } from './budget.ts'
import type { Delivery, HookCall } from './call.ts'

const MAX_REPLY_BYTES = 1_000_000
/** Refusals that a second try of the same bytes cannot change. */
const FINAL = new Set([400, 413, 422])
/** Left between the daemon's deadline and ours, for its answer to travel. */
const TRAVEL_MS = 20
const RETRY_MS = 20

async function tryDaemon(home: Home, call: HookCall, deadlineMs: number, meanwhile: () => void): Promise<Delivery> {
  if (!isSocketTrusted(home)) return { outcome: 'absent' }
  const part = (text: string) => encodeURIComponent(text.toWellFormed())
  try {
    const reply = await exchange({
      socketPath: home.socket,
      method: 'POST',
      path: `/hook/${part(call.harness)}/${part(call.hook)}`,
      headers: {
        'Content-Type': 'application/json',
        [HEADER.client]: 'hook',
        [HEADER.eventId]: call.eventId,
        [HEADER.deadlineMs]: String(Math.max(1, Math.floor(deadlineMs - TRAVEL_MS))),
        ...(call.pid === undefined ? {} : { [HEADER.pid]: String(call.pid) }),
      },
      body: call.body,
      deadlineMs,
      maxReplyBytes: MAX_REPLY_BYTES,
      meanwhile,
    })
    if (reply.status === 200 || reply.status === 204) return { outcome: 'kept', output: reply.body }
    if (reply.headers.has(HEADER.unkept)) return { outcome: 'unkept', output: reply.body }
    return { outcome: FINAL.has(reply.status) ? 'refused' : 'failed', status: reply.status }
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return { outcome: thrown.fault }
    throw thrown
  }
}

export interface DeliveryOptions {
  readonly home: Home
  /** Called once, when nobody listens and the answer is worth waiting for. */
  readonly startDaemon: () => void
  /** How long from now an answer is still of use. */
  readonly remainingMs: () => number
  /** See `HttpRequest`. */
  readonly meanwhile: () => void
}

/** Hands the call to the daemon within the time that is left; for a session's start also to one that is only just coming up. */
export async function deliver(
  call: HookCall,
  { home, startDaemon, remainingMs, meanwhile }: DeliveryOptions,
): Promise<Delivery> {
  // Starting took all the time there was: that says nothing about the daemon.
  if (remainingMs() <= TRAVEL_MS) return { outcome: 'failed', status: 0 }
  let delivery = await tryDaemon(home, call, remainingMs(), meanwhile)
  if (delivery.outcome === 'absent' && mayAwaitStart(call.hook)) {
    startDaemon()
    while (delivery.outcome === 'absent' && remainingMs() > RETRY_MS + TRAVEL_MS) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      delivery = await tryDaemon(home, call, remainingMs(), meanwhile)
    }
  }
  return delivery
}
