import { dirname } from 'node:path'
import type { Clock, Processes, Redactor } from '../../kernel/ports/ports.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { type BackoffPolicy, backoffMs } from '../retry/backoff.ts'
import type { CloudEvent } from '../model/cloud-event.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import { takeProcessLock } from '../../platform/process/process-lock.ts'
import { type DeliveryState, hasLooseEnds, noteSent, readDeliveryState, writeDeliveryState } from './delivery-state.ts'
import { signatureHeaders } from './signature.ts'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { errnoOf } from '../../platform/base/errno.ts'

interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** What became of one try. Only a 2xx counts; a redirect is not followed: the address is the user's, not the receiver's. */
type Posted =
  | { readonly is: 'delivered' }
  /** Worth another try; `retryAfterMs` when the receiver named a time. */
  | { readonly is: 'failed'; readonly why: string; readonly retryAfterMs?: number | undefined }

const MAX_RETRY_AFTER_MS = 3_600_000

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return undefined
  return Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS)
}

function judge(status: number, retryAfter: string | undefined): Posted {
  if (status >= 200 && status < 300) return { is: 'delivered' }
  const why = status >= 300 && status < 400 ? `redirected (${status}); redirects are not followed` : `status ${status}`
  return { is: 'failed', why, retryAfterMs: retryAfterMs(retryAfter) }
}

/** One try, within one deadline from first to last byte. Never throws for what the network or the receiver does. */
function postEvent({ url, headers, body, timeoutMs }: Post): Promise<Posted> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = request(url, {
      method: 'POST',
      // A connection for each: what a receiver that died left of an old one is no reason to fail.
      agent: false,
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'holdfast',
        ...headers,
      },
    })
    const settle = (posted: Posted) => {
      clearTimeout(timer)
      resolve(posted)
      call.destroy()
    }
    const timer = setTimeout(() => settle({ is: 'failed', why: `no answer within ${timeoutMs} ms` }), timeoutMs)
    // The status line is the answer; whatever the receiver has to say after it is not read.
    call.once('response', (response) => settle(judge(response.statusCode ?? 0, response.headers['retry-after'])))
    call.on('error', (error) => settle({ is: 'failed', why: errnoOf(error) ?? 'connection failed' }))
    call.end(body)
  })
}

export interface DeliverInput {
  readonly events: readonly CloudEvent[]
  /** Where this outbox's state is kept. */
  readonly stateFile: string
  readonly url: URL
  readonly key: Buffer
  readonly clock: Clock
  readonly processes: Processes
  readonly redactor: Redactor
  readonly pid: number
  /** From 0 up to 1. */
  readonly random: () => number
  /** How long to go on through failures. 0: one try, and only if it is due. */
  readonly patienceMs: number
  readonly timeoutMs?: number
  readonly backoff?: BackoffPolicy
  /** Waits; resolves early when nothing should be waited for any more. */
  readonly wait: (ms: number) => Promise<void>
  readonly isAborted?: () => boolean
}

export interface Delivery {
  readonly delivered: number
  readonly pending: number
  /** `busy`: another process is delivering this outbox. */
  readonly state: 'done' | 'waiting' | 'busy'
  readonly lastFailure?: string | undefined
  readonly nextTryAt?: string | undefined
}

const TIMEOUT_MS = 10_000
const BACKOFF: BackoffPolicy = { baseMs: 1_000, maxMs: 300_000 }

function post(event: CloudEvent, input: DeliverInput) {
  // Redacted when it was written, and again on the way out: rules grow, files stay.
  const body = JSON.stringify(redactDeep(event, input.redactor))
  const timestamp = Math.floor(Date.parse(input.clock.now()) / 1_000)
  return postEvent({
    url: input.url,
    body,
    headers: signatureHeaders(input.key, { id: event.id, timestamp, body }),
    timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
  })
}

type Standing = Omit<DeliveryState, 'delivered'>

/** How it stands after a try at `event`. */
async function tried(event: CloudEvent, before: Standing, input: DeliverInput): Promise<Standing> {
  const posted = await post(event, input)
  if (posted.is === 'delivered') return { failures: 0 }
  const failures = before.failures + 1
  const pauseMs = Math.max(backoffMs(failures, input.backoff ?? BACKOFF, input.random()), posted.retryAfterMs ?? 0)
  const notBefore = new Date(Date.parse(input.clock.now()) + pauseMs).toISOString()
  return { failures, notBefore, lastFailure: posted.why }
}

/** A clock that was set back must not put a try off for ever. */
function pauseBefore({ notBefore }: Standing, input: DeliverInput): number {
  if (notBefore === undefined) return 0
  const { maxMs } = input.backoff ?? BACKOFF
  const ms = Date.parse(notBefore) - Date.parse(input.clock.now())
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), Math.max(maxMs, 3_600_000))
}

/**
 * Sends what has not been sent, one after the other in the order of the file, each until the receiver took it. Nothing is
 * ever passed over: an event that fails holds back those behind it.
 */
export async function deliver(input: DeliverInput): Promise<Delivery> {
  ensurePrivateDir(dirname(input.stateFile))
  // One deliverer for each task, so that its events stay in order.
  using lock = takeProcessLock(`${input.stateFile}.lock`, { pid: input.pid, processes: input.processes })
  const { delivered: known, ...rest } = readDeliveryState(input.stateFile)
  let standing: Standing = rest
  const ids = new Set(input.events.map(({ id }) => id))
  const delivered = known.filter((id) => ids.has(id))
  const sent = new Set(delivered)
  const pending = input.events.filter(({ id }) => !sent.has(id))
  const before = delivered.length
  const report = (is: Delivery['state']): Delivery => ({
    delivered: delivered.length - before,
    pending: pending.length - (delivered.length - before),
    state: is,
    ...(standing.failures > 0 && { lastFailure: standing.lastFailure, nextTryAt: standing.notBefore }),
  })
  if (lock === undefined) return report('busy')

  const write = () => writeDeliveryState(input.stateFile, { delivered, ...standing })
  const untilMs = input.clock.monotonicMs() + input.patienceMs
  const isTaken = async (event: CloudEvent): Promise<boolean> => {
    for (;;) {
      const pauseMs = pauseBefore(standing, input)
      if (pauseMs > 0) {
        if (input.clock.monotonicMs() + pauseMs > untilMs) return false
        await input.wait(pauseMs)
      }
      if (input.isAborted?.() === true) return false
      standing = await tried(event, standing, input)
      if (standing.failures === 0) return true
      write()
    }
  }
  if (hasLooseEnds(input.stateFile)) write()
  for (const event of pending) {
    if (!(await isTaken(event))) break
    noteSent(input.stateFile, event.id)
    delivered.push(event.id)
  }
  if (delivered.length > before) write()
  return report(delivered.length - before === pending.length ? 'done' : 'waiting')
}

/** What would be sent, without sending. */
export function pendingEvents(events: readonly CloudEvent[], file: string) {
  const state = readDeliveryState(file)
  const sent = new Set(state.delivered)
  return {
    delivered: events.filter(({ id }) => sent.has(id)).length,
    pending: events.filter(({ id }) => !sent.has(id)),
    ...(state.failures > 0 && { lastFailure: state.lastFailure, nextTryAt: state.notBefore }),
  }
}
