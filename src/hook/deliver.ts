import { exchange, ExchangeError, FINAL_STATUSES, isSocketTrusted, type ExchangeFault } from '../client/http.ts'
import type { Home } from '../platform/base/home.ts'
import { HEADER } from '../wire/headers.ts'

/** Claude Code shows up to 10,000 characters of a hook's output; longer output becomes the preview of a file. */
const MAX_CHARS = 9_500

/** The body as text for stdout; undefined unless it is plain text or complete JSON within the limit of the harness. */
export function toPrintable(body: Buffer): string | undefined {
  const text = body.toString('utf8')
  if (text.trim() === '' || text.length > MAX_CHARS || text.includes('\0')) return undefined
  if (!/^\s*\{/.test(text)) return text
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

/** One call of a hook by its harness. */
export interface HookCall {
  readonly harness: string
  readonly hook: string
  readonly body: Buffer
  readonly eventId: string
  /** By the clock of this process. The daemon stamps calls that reach it with its own time. */
  readonly receivedAtMs: number
  readonly pid?: number
}

/**
 * kept: the daemon recorded the event, and `output` is its reply. unkept: it replied and could not record the event.
 * refused: it will never accept this payload. Otherwise the event was not delivered.
 */
export type Delivery =
  | { readonly outcome: 'kept' | 'unkept'; readonly output: Buffer }
  | { readonly outcome: 'refused' | 'failed'; readonly status: number }
  | { readonly outcome: ExchangeFault }

const MAX_REPLY_BYTES = 1_000_000
/** The daemon's deadline is this much earlier than ours, so that its reply arrives in time. */
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
    return { outcome: FINAL_STATUSES.has(reply.status) ? 'refused' : 'failed', status: reply.status }
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return { outcome: thrown.fault }
    throw thrown
  }
}

export interface DaemonStarting {
  /** Called once, when the daemon is absent. */
  readonly start: () => void
  /** Whether a daemon that was just started, by this process or another one, is still alive. */
  readonly isUnderWay: () => boolean
  /** Whether it cannot start, and another start would not change that. */
  readonly isRefused: () => boolean
  /** Time left to wait for the reply of a daemon that is starting. */
  readonly remainingMs: () => number
}

export interface DeliveryOptions {
  readonly home: Home
  /** Time left to wait for a reply. */
  readonly remainingMs: () => number
  /** Absent: an absent daemon is not waited for. */
  readonly starting?: DaemonStarting
  /** See `HttpRequest`. */
  readonly meanwhile: () => void
}

/** Sends the call to the daemon within the remaining time; at the start of a session, also to a daemon that is still starting. */
export async function deliver(
  call: HookCall,
  { home, remainingMs, starting, meanwhile }: DeliveryOptions,
): Promise<Delivery> {
  const leastMs = starting === undefined ? TRAVEL_MS : RETRY_MS + TRAVEL_MS
  const firstMs = Math.max(remainingMs(), starting?.remainingMs() ?? 0)
  // Starting this process used up the budget, so the daemon was not tried.
  if (firstMs <= TRAVEL_MS) return { outcome: 'failed', status: 0 }
  let delivery = await tryDaemon(home, call, Math.max(remainingMs(), leastMs), meanwhile)
  if (delivery.outcome !== 'absent' || starting === undefined) return delivery
  starting.start()
  while (
    delivery.outcome === 'absent' &&
    !starting.isRefused() &&
    (remainingMs() > leastMs || (starting.remainingMs() > leastMs && starting.isUnderWay()))
  ) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    delivery = await tryDaemon(home, call, Math.max(remainingMs(), starting.remainingMs()), meanwhile)
  }
  return delivery
}
