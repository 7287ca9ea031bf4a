import { dirname } from 'node:path'
import type { Clock, Processes, Redactor } from '../../kernel/ports/ports.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { type BackoffPolicy, computeBackoffMs } from '../retry/retry-policy.ts'
import type { CloudEvent } from '../model/cloud-event.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import { takeProcessLock } from '../../platform/process/process-lock.ts'
import {
  type DeliveryState,
  hasUnmergedSends,
  appendSent,
  readDeliveryState,
  writeDeliveryState,
} from './delivery-state.ts'
import { createSignatureHeaders, decodeSecret, postEvent } from './webhook.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../platform/base/home.ts'
import { getOrCreateSecret, getOutboxHome, getDeliveryStateFile } from './outbox-home.ts'
import { readOutboxEvents } from './read-events.ts'

export interface TaskDelivery {
  readonly home: Pick<Home, 'root'>
  /** The checkout's root. */
  readonly root: string
  readonly slug: string
  readonly url: URL
  readonly clock: Clock
  readonly processes: Processes
  readonly redactor: Redactor
  readonly pid: number
  /** From 0 up to 1. */
  readonly random: () => number
  /** How long to continue after failures. 0: one attempt, and only if it is due. */
  readonly patienceMs: number
  readonly isAborted?: () => boolean
}

const STEP_MS = 200

/** Sends the undelivered events of one task. */
export function deliverTask(given: TaskDelivery): Promise<DeliveryReport> {
  const { home, root, slug, clock, isAborted = () => false } = given
  return deliver({
    ...given,
    events: readOutboxEvents({ root, slug }).events,
    stateFile: getDeliveryStateFile(getOutboxHome(home), root, slug),
    key: decodeSecret(getOrCreateSecret(home)),
    isAborted,
    wait: async (ms) => {
      const untilMs = clock.monotonicMs() + ms
      while (clock.monotonicMs() < untilMs && !isAborted())
        await sleep(Math.min(STEP_MS, untilMs - clock.monotonicMs()))
    },
  })
}

export interface DeliverInput extends Omit<TaskDelivery, 'home' | 'root' | 'slug'> {
  readonly events: readonly CloudEvent[]
  readonly stateFile: string
  readonly key: Buffer
  readonly timeoutMs?: number
  readonly backoff?: BackoffPolicy
  /** Resolves early on abort. */
  readonly wait: (ms: number) => Promise<void>
}

export interface DeliveryReport {
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
  // Redacted again before sending, because the rules may have grown since it was written.
  const body = JSON.stringify(redactDeep(event, input.redactor))
  const timestamp = Math.floor(Date.parse(input.clock.now()) / 1_000)
  return postEvent({
    url: input.url,
    body,
    headers: createSignatureHeaders(input.key, { id: event.id, timestamp, body }),
    timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
  })
}

type RetryState = Omit<DeliveryState, 'delivered'>

async function tryDelivery(event: CloudEvent, before: RetryState, input: DeliverInput): Promise<RetryState> {
  const posted = await post(event, input)
  if (posted.is === 'delivered') return { failures: 0 }
  const failures = before.failures + 1
  const pauseMs = Math.max(
    computeBackoffMs(failures, input.backoff ?? BACKOFF, input.random()),
    posted.retryAfterMs ?? 0,
  )
  const notBefore = new Date(Date.parse(input.clock.now()) + pauseMs).toISOString()
  return { failures, notBefore, lastFailure: posted.why }
}

/** Capped, because the clock may have been set back. */
function getPauseMs({ notBefore }: RetryState, input: DeliverInput): number {
  if (notBefore === undefined) return 0
  const { maxMs } = input.backoff ?? BACKOFF
  const ms = Date.parse(notBefore) - Date.parse(input.clock.now())
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), Math.max(maxMs, 3_600_000))
}

/** Sends undelivered events in the order of the file. An event that fails holds back those after it. */
export async function deliver(input: DeliverInput): Promise<DeliveryReport> {
  ensurePrivateDir(dirname(input.stateFile))
  // One process per task, so that its events stay in order.
  using lock = takeProcessLock(`${input.stateFile}.lock`, { pid: input.pid, processes: input.processes })
  const { delivered: known, ...initial } = readDeliveryState(input.stateFile)
  let retry: RetryState = initial
  const ids = new Set(input.events.map(({ id }) => id))
  const delivered = known.filter((id) => ids.has(id))
  const sent = new Set(delivered)
  const pending = input.events.filter(({ id }) => !sent.has(id))
  const before = delivered.length
  const report = (state: DeliveryReport['state']): DeliveryReport => ({
    delivered: delivered.length - before,
    pending: pending.length - (delivered.length - before),
    state,
    ...(retry.failures > 0 && { lastFailure: retry.lastFailure, nextTryAt: retry.notBefore }),
  })
  if (lock === undefined) return report('busy')

  const write = () => writeDeliveryState(input.stateFile, { delivered, ...retry })
  const untilMs = input.clock.monotonicMs() + input.patienceMs
  const sendUntilTaken = async (event: CloudEvent): Promise<boolean> => {
    for (;;) {
      const pauseMs = getPauseMs(retry, input)
      if (pauseMs > 0) {
        if (input.clock.monotonicMs() + pauseMs > untilMs) return false
        await input.wait(pauseMs)
      }
      if (input.isAborted?.() === true) return false
      retry = await tryDelivery(event, retry, input)
      if (retry.failures === 0) return true
      write()
    }
  }
  if (hasUnmergedSends(input.stateFile)) write()
  for (const event of pending) {
    if (!(await sendUntilTaken(event))) break
    appendSent(input.stateFile, event.id)
    delivered.push(event.id)
  }
  if (delivered.length > before) write()
  return report(delivered.length - before === pending.length ? 'done' : 'waiting')
}

export function findPendingEvents(events: readonly CloudEvent[], file: string) {
  const state = readDeliveryState(file)
  const sent = new Set(state.delivered)
  return {
    delivered: events.filter(({ id }) => sent.has(id)).length,
    pending: events.filter(({ id }) => !sent.has(id)),
    ...(state.failures > 0 && { lastFailure: state.lastFailure, nextTryAt: state.notBefore }),
  }
}
