import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Continuity } from '../../app/continuity.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import { getSessionId } from '../../kernel/event.ts'
import type { Announcement, Log } from '../../kernel/ports/ports.ts'
import { refusal, refusalResponse } from './http-errors.ts'
import type { RequestEnv } from './bind.ts'
import { toJson } from './body.ts'

export interface StreamLimits {
  readonly clients: number
  /** Bytes waiting for one reader. */
  readonly bufferBytes: number
  /** How long a reader may take to make room. */
  readonly patienceMs: number
  readonly heartbeatMs: number
  readonly replayPage: number
}

const LIMITS: StreamLimits = {
  clients: 64,
  bufferBytes: 262_144,
  patienceMs: 5_000,
  heartbeatMs: 15_000,
  replayPage: 500,
}

export interface EventStream {
  /** Sends everything after `afterSeq` from the log, then what happens from now on. */
  open(env: RequestEnv, afterSeq: number | undefined): Response
  announce(announcement: Announcement): void
  readonly size: number
  close(): void
}

interface StreamPorts {
  readonly continuity: Pick<Continuity, 'listEvents'>
  readonly log: Log
  readonly limits?: Partial<StreamLimits>
}

interface StreamClient {
  readonly outgoing: ServerResponse
  /** Live announcements that wait while the log is replayed; undefined once live. */
  held: Announcement[] | undefined
  lastSeq: number
  slowTimer?: NodeJS.Timeout
}

export function createEventStream(ports: StreamPorts): EventStream {
  const limits = { ...LIMITS, ...ports.limits }
  const readers = new Set<StreamClient>()
  const heartbeat = setInterval(() => {
    for (const reader of readers) write(reader, ': still here\n\n')
  }, limits.heartbeatMs)
  heartbeat.unref()

  function drop(reader: StreamClient, why: string): void {
    if (!readers.delete(reader)) return
    clearTimeout(reader.slowTimer)
    reader.outgoing.destroy()
    ports.log.warn('event stream dropped', { why, lastSeq: reader.lastSeq })
  }

  function write(reader: StreamClient, text: string): void {
    if (!readers.has(reader)) return
    const hasRoom = reader.outgoing.write(text)
    if (reader.outgoing.writableLength > limits.bufferBytes) return drop(reader, 'too far behind')
    if (hasRoom || reader.slowTimer !== undefined) return
    reader.slowTimer = setTimeout(() => drop(reader, 'not reading'), limits.patienceMs)
    reader.slowTimer.unref()
    reader.outgoing.once('drain', () => {
      clearTimeout(reader.slowTimer)
      reader.slowTimer = undefined
    })
  }

  function send(reader: StreamClient, announcement: Announcement): void {
    // Only the log's own sequence can be resumed from; a checkpoint's number is another count.
    const isEvent = announcement.kind === 'event'
    if (isEvent && announcement.seq <= reader.lastSeq) return
    if (isEvent) reader.lastSeq = announcement.seq
    const id = isEvent ? `id: ${announcement.seq}\n` : ''
    write(reader, `${id}event: ${announcement.kind}\ndata: ${toJson(announcement)}\n\n`)
  }

  async function awaitRoom(reader: StreamClient): Promise<void> {
    if (!reader.outgoing.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      reader.outgoing.once('drain', resolve).once('close', resolve)
    })
  }

  async function replay(reader: StreamClient, afterSeq: number): Promise<void> {
    for (let from = afterSeq; readers.has(reader); ) {
      const page = await ports.continuity.listEvents({ afterSeq: from, limit: limits.replayPage })
      for (const { seq, event } of page) {
        send(reader, { seq, kind: 'event', sessionId: getSessionId(event), detail: event.kind })
        await awaitRoom(reader)
      }
      from = page.at(-1)?.seq ?? from
      if (page.length < limits.replayPage) break
    }
    const held = reader.held ?? []
    reader.held = undefined
    for (const announcement of held) send(reader, announcement)
  }

  return {
    get size() {
      return readers.size
    },
    open(env, afterSeq) {
      if (readers.size >= limits.clients) {
        return refusalResponse(
          refusal('rate-limited', `There are ${limits.clients} event streams already.`, {
            headers: { 'retry-after': '30' },
          }),
        )
      }
      const { outgoing } = env
      env.leave()
      const reader: StreamClient = { outgoing, held: afterSeq === undefined ? undefined : [], lastSeq: afterSeq ?? 0 }
      readers.add(reader)
      outgoing.once('close', () => {
        clearTimeout(reader.slowTimer)
        readers.delete(reader)
      })
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      outgoing.write('retry: 2000\n\n')
      if (afterSeq !== undefined) {
        replay(reader, afterSeq).catch((error: unknown) => drop(reader, getErrorMessage(error)))
      }
      return RESPONSE_ALREADY_SENT
    },
    announce(announcement) {
      for (const reader of readers) {
        if (reader.held === undefined) send(reader, announcement)
        else if (reader.held.length < limits.replayPage * 2) reader.held.push(announcement)
        else drop(reader, 'too far behind')
      }
    },
    close() {
      clearInterval(heartbeat)
      for (const reader of readers) reader.outgoing.end()
      readers.clear()
    },
  }
}
