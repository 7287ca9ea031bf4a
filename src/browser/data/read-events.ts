import { getSessionId, type SessionEvent, type StoredEvent } from '../../kernel/event.ts'
import { get } from './call.ts'
import {
  type CheckpointRow,
  type EventReply,
  formatTrigger,
  type InjectionRow,
  type LaneName,
  type PointRow,
} from './contract.ts'

const PAGE_LIMIT = 1_000
const MAX_POINTS = 50_000

function findLane(event: SessionEvent): LaneName {
  if (event.kind.startsWith('compaction')) return 'compaction'
  if (event.subagent !== undefined || event.kind.startsWith('subagent')) return 'subagent'
  if (event.kind === 'prompt-submitted' || event.kind === 'turn-ended') return 'prompt'
  return event.kind.startsWith('tool') ? 'tool' : 'session'
}

/** What an event is about, in one line. */
export function describeEvent(event: SessionEvent): string {
  switch (event.kind) {
    case 'prompt-submitted':
      return event.prompt
    case 'tool-started':
    case 'tool-finished': {
      const { tool } = event
      return tool.command ?? tool.files[0]?.path ?? tool.query ?? tool.description ?? tool.name
    }
    case 'turn-ended':
    case 'subagent-finished':
      return event.lastMessage ?? event.kind
    case 'compaction-started':
      return `Compaction (${event.trigger})`
    case 'compaction-finished':
      return event.summary ?? 'Compaction finished'
    case 'digest-written':
      return event.summary
    case 'remembered':
      return event.content
    case 'decision-made':
      return event.decision
    case 'error-recovered':
      return event.error
    case 'session-started':
      return `Session started (${event.source})`
    case 'session-ended':
      return `Session ended (${event.reason})`
    case 'gate-changed':
      return `Gate ${event.from ?? 'none'} → ${event.to}`
    case 'subagent-started':
    case 'task-session-changed':
      return event.kind
  }
}

function toPoint({ seq, event }: StoredEvent): PointRow {
  const base = { seq, at: event.at, kind: event.kind, lane: findLane(event), label: describeEvent(event).slice(0, 300) }
  if (event.kind !== 'tool-finished') return base
  const { ok, durationMs } = event.outcome
  return { ...base, ok, toolKind: event.tool.kind, ...(durationMs !== undefined && { durationMs }) }
}

/** Ids of the calls that these events end. */
const listFinishedCalls = (events: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ event }) => (event.kind === 'tool-finished' && event.tool.callId ? [event.tool.callId] : [])),
  )

/** The start of a call whose end is known: the end has its duration, and both would be shown beside each other. */
const isHalf = (event: SessionEvent, finished: ReadonlySet<string>): boolean =>
  event.kind === 'tool-started' && event.tool.callId !== undefined && finished.has(event.tool.callId)

/** The points of one session, oldest first; its checkpoints are points too. */
export async function readTimeline(
  session: { readonly id: string; readonly key: string; readonly harness: string },
  signal: AbortSignal,
): Promise<readonly PointRow[]> {
  const points: PointRow[] = []
  for (let afterSeq = 0; points.length < MAX_POINTS; ) {
    const input = { sessionId: session.id, afterSeq, limit: PAGE_LIMIT }
    const { events } = await get<{ events: readonly StoredEvent[] }>('/api/events', input, signal)
    const finished = listFinishedCalls(events)
    points.push(
      ...events.flatMap(({ seq, event, hash }) => (isHalf(event, finished) ? [] : [toPoint({ seq, event, hash })])),
    )
    const last = events.at(-1)
    if (last === undefined || events.length < PAGE_LIMIT) break
    afterSeq = last.seq
  }
  const input = { sessionId: session.id, limit: 500 }
  const { heads } = await get<{ heads: readonly CheckpointRow[] }>('/api/checkpoint-heads', input, signal)
  const marks = heads.map(
    ({ id, eventSeq, createdAt, trigger, summary }): PointRow => ({
      seq: eventSeq,
      at: createdAt,
      kind: 'checkpoint',
      lane: 'checkpoint',
      label: `${formatTrigger(trigger)}: ${summary}`,
      checkpointId: id,
    }),
  )
  return [...points, ...marks].toSorted((a, b) => a.seq - b.seq)
}

export interface LedgerReply {
  readonly ledger: { readonly entries: readonly InjectionRow[]; readonly next?: number }
}

/** The first checkpoint that contains the event, and the texts that were injected between it and the next event. */
async function readFollowing({ seq, event }: StoredEvent, signal: AbortSignal) {
  const session = { sessionKey: event.sessionKey, limit: 200 }
  const sessionId = getSessionId(event)
  const [{ heads }, { ledger }, { events }] = await Promise.all([
    get<{ heads: readonly CheckpointRow[] }>('/api/checkpoint-heads', { sessionId, limit: 500 }, signal),
    get<LedgerReply>('/api/ledger', { ...session, includeSkipped: true }, signal),
    get<{ events: readonly StoredEvent[] }>('/api/events', { sessionId, afterSeq: seq, limit: 1 }, signal),
  ])
  const nextAt = events[0]?.event.at
  const isHere = ({ at }: InjectionRow) => at >= event.at && (nextAt === undefined || at < nextAt)
  return { checkpoint: heads.findLast(({ eventSeq }) => eventSeq >= seq), injections: ledger.entries.filter(isHere) }
}

/** One event as stored, and what it became. */
export async function readEvent(seq: number, signal: AbortSignal): Promise<EventReply> {
  const { events } = await get<{ events: readonly StoredEvent[] }>(
    '/api/events',
    { afterSeq: seq - 1, limit: 1 },
    signal,
  )
  const [stored] = events
  if (stored?.seq !== seq) throw new Error(`Event ${seq} was deleted: events are stored for a limited time.`)
  return { ...stored, ...(await readFollowing(stored, signal)) }
}
