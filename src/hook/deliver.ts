import { rmSync, writeFileSync } from 'node:fs'
import { startDaemon } from '../client/daemon-start.ts'
import { exchange, ExchangeError, type ExchangeFault } from '../client/http.ts'
import { isSocketTrusted } from '../client/socket-trust.ts'
import type { Home } from '../platform/home.ts'
import { HEADER } from '../protocol/headers.ts'
import { mayAwaitStart } from './budget.ts'

export interface HookCall {
  readonly harness: string
  readonly hook: string
  readonly body: Buffer
  readonly eventId: string
  readonly receivedAt: string
  readonly pid?: number
}

/** kept: the daemon has it, and `output` is its answer. refused: it read the payload and never will take it. The rest: nobody has it. */
export type Delivery =
  | { readonly outcome: 'kept'; readonly output: Buffer }
  | { readonly outcome: 'refused' | 'failed'; readonly status: number }
  | { readonly outcome: ExchangeFault }

const MAX_REPLY_BYTES = 1_000_000
/** Refusals that a second try of the same bytes cannot change. */
const FINAL = new Set([400, 413, 422])
/** Left between the daemon's deadline and ours, for its answer to travel. */
const TRAVEL_MS = 20

async function tryDaemon(home: Home, call: HookCall, deadlineMs: number): Promise<Delivery> {
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
        [HEADER.receivedAt]: call.receivedAt,
        [HEADER.deadlineMs]: String(Math.max(1, Math.floor(deadlineMs - TRAVEL_MS))),
        ...(call.pid === undefined ? {} : { [HEADER.pid]: String(call.pid) }),
      },
      body: call.body,
      deadlineMs,
      maxReplyBytes: MAX_REPLY_BYTES,
    })
    if (reply.status === 200 || reply.status === 204) return { outcome: 'kept', output: reply.body }
    return { outcome: FINAL.has(reply.status) ? 'refused' : 'failed', status: reply.status }
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return { outcome: thrown.fault }
    throw thrown
  }
}

/** Tells launchers whether the daemon answers: they have no deadline of their own while they connect. */
function noteLateness(home: Home, outcome: Delivery['outcome']): void {
  try {
    if (outcome === 'late') writeFileSync(home.lateFile, '', { mode: 0o600 })
    else if (outcome === 'kept') rmSync(home.lateFile, { force: true })
  } catch {
    // A home that cannot be written: launchers go on asking, each within its own deadline.
  }
}

export interface DeliveryOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly daemonScript: string
  /** How long from now an answer is still of use. */
  readonly remainingMs: () => number
}

const RETRY_MS = 20

/** Hands the call to the daemon within the time that is left; for a session's start also to one that is only just coming up. */
export async function deliver(call: HookCall, options: DeliveryOptions): Promise<Delivery> {
  const { home, remainingMs } = options
  if (remainingMs() <= TRAVEL_MS) return { outcome: 'late' }
  let delivery = await tryDaemon(home, call, remainingMs())
  if (delivery.outcome === 'absent' && mayAwaitStart(call.hook)) {
    startDaemon({ home, env: options.env, script: options.daemonScript })
    while (delivery.outcome === 'absent' && remainingMs() > RETRY_MS + TRAVEL_MS) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      delivery = await tryDaemon(home, call, remainingMs())
    }
  }
  noteLateness(home, delivery.outcome)
  return delivery
}
