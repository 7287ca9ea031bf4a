import type { ServerResponse } from 'node:http'
import type { Continuity } from '../../app/continuity.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import { getSessionId } from '../../kernel/event.ts'
import type { Announcement, Log } from '../../kernel/ports/ports.ts'
import { plainRefusal, refusal, type PlainReply } from './http-errors.ts'
import { ALREADY_SENT, type RequestEnv } from './bind.ts'
import { toJson } from './body.ts'
import { HEADER } from '../../wire/headers.ts'

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
  open(env: RequestEnv, afterSeq: number | undefined): PlainReply | typeof ALREADY_SENT
  announce(announcement: Announcement): void
  /** Ends the streams of the page with this token. */
  end(pageToken: string): void
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
  readonly pageToken?: string
  /** Live announcements that wait while the log is replayed; undefined once live. */
  held: Announcement[] | undefined
  lastSeq: number
  slowTimer?: NodeJS.Timeout
}

export function createEventStream(ports: StreamPorts): EventStream {
  const limits = { ...LIMITS, ...ports.limits }
  const readers = new Set<StreamClient>()
  let heartbeat: NodeJS.Timeout | undefined

  /** Runs only while a client reads. */
  function add(reader: StreamClient): void {
    readers.add(reader)
    heartbeat ??= setInterval(() => {
      for (const open of readers) write(open, ': still here\n\n')
    }, limits.heartbeatMs).unref()
  }

  function remove(reader: StreamClient): boolean {
    clearTimeout(reader.slowTimer)
    const isRemoved = readers.delete(reader)
    if (readers.size > 0) return isRemoved
    clearInterval(heartbeat)
    heartbeat = undefined
    return isRemoved
  }

  function drop(reader: StreamClient, why: string): void {
    if (!remove(reader)) return
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

  /** Where the log ends, and how much of it this reader gets first. */
  async function sendPosition(reader: StreamClient, afterSeq: number | undefined): Promise<number> {
    const [newest] = await ports.continuity.listEvents({ isNewestFirst: true, limit: 1 })
    const seq = newest?.seq ?? 0
    const behind = Math.max(0, seq - (afterSeq ?? seq))
    write(reader, `event: position\ndata: ${toJson({ seq, kind: 'position', detail: '', behind })}\n\n`)
    return seq
  }

  async function replay(reader: StreamClient, afterSeq: number | undefined): Promise<void> {
    const newest = await sendPosition(reader, afterSeq)
    // A number beyond the end comes from another log: nothing of this one must be taken for known.
    if (reader.lastSeq > newest) reader.lastSeq = newest
    for (let from = afterSeq ?? newest; readers.has(reader); ) {
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
    if (afterSeq !== undefined && afterSeq < newest) await sendPosition(reader, undefined)
  }

  return {
    get size() {
      return readers.size
    },
    open(env, afterSeq) {
      if (readers.size >= limits.clients) {
        return plainRefusal(
          refusal('rate-limited', `There are ${limits.clients} event streams already.`, {
            headers: { 'retry-after': '30' },
          }),
        )
      }
      const { outgoing } = env
      env.leave()
      const pageToken = env.incoming.headers[HEADER.page]
      const reader: StreamClient = {
        outgoing,
        ...(typeof pageToken === 'string' && { pageToken }),
        held: [],
        lastSeq: afterSeq ?? 0,
      }
      add(reader)
      outgoing.once('close', () => remove(reader))
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      outgoing.write('retry: 2000\n\n')
      replay(reader, afterSeq).catch((error: unknown) => drop(reader, getErrorMessage(error)))
      return ALREADY_SENT
    },
    announce(announcement) {
      for (const reader of readers) {
        if (reader.held === undefined) send(reader, announcement)
        else if (reader.held.length < limits.replayPage * 2) reader.held.push(announcement)
        else drop(reader, 'too far behind')
      }
    },
    end(pageToken) {
      for (const reader of readers) if (reader.pageToken === pageToken) reader.outgoing.end()
    },
    close() {
      clearInterval(heartbeat)
      for (const reader of readers) reader.outgoing.end()
      readers.clear()
    },
  }
}
