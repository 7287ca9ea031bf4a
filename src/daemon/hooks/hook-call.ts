import { datedId, EventId } from '../../kernel/id.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { Clock, Entropy, Log, Store } from '../../kernel/ports/ports.ts'
import type { SpoolEntry } from '../../spool/spool-entry.ts'
import type { FullDisk } from '../housekeeping/full-disk.ts'
import type { Metrics } from '../housekeeping/metrics.ts'
import type { Background } from '../process/background.ts'
import type { Connector, Arrival } from '../../harness/contract/connector.ts'
import { HEADER } from '../../wire/headers.ts'
import { PlainReply, plainRefusal, refusal } from '../http/http-errors.ts'
import type { RequestEnv } from '../http/bind.ts'
import type { ServerResponse } from 'node:http'

/** Linux resets a connection that is closed with unread bytes; other systems may not report it. */
export function canDetectUnread({ shouldKeepAlive }: ServerResponse): boolean {
  return process.platform === 'linux' && !shouldKeepAlive
}

/**
 * Calls `read` once the caller has read the whole reply and closed the connection; never when it gave up before that.
 * For a caller that asked to close the connection. Call it before the reply is sent.
 */
export function onceRead(outgoing: ServerResponse, read: () => void): void {
  // Otherwise Node closes both directions with the last byte, and the outcome is not reported.
  outgoing.shouldKeepAlive = true
  // Read now: a finished response has no socket.
  const { socket } = outgoing
  outgoing.once('finish', () => {
    socket?.once('close', (hadError) => {
      if (!hadError) read()
    })
    socket?.end()
  })
}

/** For a harness that calls HTTP itself and sends no deadline: its agent waits, and recording continues after the reply. */
const DEFAULT_DEADLINE_MS = 300
const MAX_DEADLINE_MS = 10_000

/** One hook call that is being handled. */
export interface HookRequest {
  readonly connector: Connector
  readonly hook: string
  readonly payload: unknown
  readonly arrival: Arrival
  readonly env: RequestEnv
}

function readHeader(env: RequestEnv, name: string): string | undefined {
  const value = env.incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The launcher and the Node client send this header; a harness that calls HTTP itself does not. */
export function isOurClient(env: RequestEnv): boolean {
  return readHeader(env, HEADER.client) !== undefined
}

function parseDigits(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The reply whose body the hook prints; without `output`, an empty one. */
export function reply(call: Pick<HookRequest, 'connector' | 'env'>, output?: string): PlainReply {
  const isOurs = isOurClient(call.env)
  // A harness that calls HTTP itself expects its own JSON; the launcher prints any body.
  const type = isOurs ? 'text/plain; charset=utf-8' : 'application/json'
  return new PlainReply(200, output ?? (isOurs ? '' : call.connector.emptyReply), { 'content-type': type })
}

/**
 * Our client spools an event that was not recorded, and still prints `output`.
 * A harness cannot spool it, and an error would only alarm its user.
 */
export function replyUnrecorded(call: HookRequest, output?: string): PlainReply {
  if (!isOurClient(call.env)) return reply(call, output)
  if (output === undefined)
    return plainRefusal(refusal('store-unavailable', 'The event was not recorded in time.', { hint: 'Spool it.' }))
  const headers = { 'content-type': 'text/plain; charset=utf-8', [HEADER.unkept]: '1' }
  return new PlainReply(503, output, headers)
}

/** How long the caller waits, counted from the arrival of the request. */
export function readDeadlineMs(env: RequestEnv): number {
  return Math.min(parseDigits(readHeader(env, HEADER.deadlineMs)) ?? DEFAULT_DEADLINE_MS, MAX_DEADLINE_MS)
}

export interface ArrivalSources {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly findProcessStart: (pid: number) => string | undefined
}

/** Id and time as the hook process stamped them; missing ones are added here. */
export function createArrival(env: RequestEnv, sources: ArrivalSources): Arrival {
  const stamp = readHeader(env, HEADER.receivedAt)
  const received = stamp === undefined ? Number.NaN : Date.parse(stamp)
  const at = Number.isNaN(received) ? sources.clock.now() : new Date(received).toISOString()
  const given = readHeader(env, HEADER.eventId) ?? ''
  const id = /^[\w.:-]{8,200}$/.test(given) ? given : datedId('event', at, sources.entropy.bytes(10))
  const pid = parseDigits(readHeader(env, HEADER.pid))
  return {
    id: EventId(id),
    at,
    door: 'hook',
    ...(pid !== undefined && { pid, pidStartedAt: sources.findProcessStart(pid) }),
  }
}

/** What the hook route needs. */
export interface HookPorts extends ArrivalSources {
  readonly record: ContinuityApp['record']
  readonly continuity: Pick<ContinuityApp, 'inject' | 'recoverUnrecorded' | 'confirmInjection' | 'readTranscript'>
  readonly noteSighting: (seen: Parameters<Store['recordSighting']>[0]) => void
  readonly getConnector: (id: string) => Connector
  /** Spools a call for a harness that cannot do it itself. False when that fails too. */
  readonly park: (entry: SpoolEntry) => Promise<boolean>
  /** Resolves when everything spooled before now is recorded, so that a session's events stay in order. */
  readonly backlog: () => Promise<void>
  /** Why a session may not start new work. */
  readonly findRefusal: (event: SessionEvent) => string | undefined
  /** Reports hook events lost to a full disk, until it was injected once. */
  readonly lossNotice: () => ReturnType<FullDisk['notice']>
  readonly redact: (text: string) => string
  readonly log: Log
  readonly metrics: Pick<Metrics, 'observeHook' | 'countEvent'>
  readonly background: Background
}
