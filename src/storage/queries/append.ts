import type { Kysely } from 'kysely'
import type { EventId, SessionId } from '../../kernel/id.ts'
import { sessionIdOfEvent } from '../../kernel/event.ts'
import type { AppendEntry, Appended } from '../../kernel/ports/ports.ts'
import { advance, type CadenceConfig, type Session } from '../../kernel/session.ts'
import { canonicalJson, chainHash } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { EventRow, Tables } from '../rows/schema.ts'
import { storableText } from '../rows/storable.ts'
import { runCompiled } from './rows/compiled.ts'
import { lockHead, moveHead, type LogMark } from './rows/log-head.ts'
import { interrupted, isOver, loadSessions, saveRunOn, saveSessions, sessionsInProcess } from './sessions.ts'
import { inSlices } from './rows/slices.ts'

export interface AppendCall {
  readonly entries: readonly AppendEntry[]
  readonly cadence: CadenceConfig
}

/** What one transaction has read and is about to write. */
interface Batch {
  head: LogMark
  readonly known: Map<string, number>
  readonly sessions: Map<SessionId, Session>
  readonly changed: Set<SessionId>
  readonly rows: EventRow[]
}

/** First arrivals of these ids, by the id as it can be stored. */
export async function seqsOf(db: Kysely<Tables>, ids: readonly EventId[]): Promise<Map<string, number>> {
  const rows = await inSlices(ids, (slice) =>
    runCompiled(db, {
      name: 'known events',
      parameters: slice,
      build: () => db.selectFrom('events').select(['id', 'seq']).where('id', 'in', slice),
    }),
  )
  return new Map(rows.map(({ id, seq }) => [id, seq]))
}

function change(batch: Batch, session: Session): void {
  batch.sessions.set(session.id, session)
  batch.changed.add(session.id)
}

/** A process holds one session at a time: when it starts another, the one it held is over, said or not. */
async function closeOthers(db: Kysely<Tables>, batch: Batch, { event, machine }: AppendEntry): Promise<void> {
  if (event.kind !== 'session-started' || event.subagent !== undefined) return
  const { pid, startedAt } = event.process ?? {}
  if (pid === undefined || startedAt === undefined) return
  for (const kept of await sessionsInProcess(db, event.harness, { pid, startedAt })) {
    if (!batch.sessions.has(kept.id)) batch.sessions.set(kept.id, kept)
  }
  const own = sessionIdOfEvent(event)
  for (const other of batch.sessions.values()) {
    const isSameProcess = other.process?.pid === pid && other.process.startedAt === startedAt
    if (other.id === own || other.harness !== event.harness || !isSameProcess || isOver(other)) continue
    // A pid and a start time may be equal on two machines.
    if (other.machine !== undefined && machine !== undefined && other.machine.id !== machine.id) continue
    change(batch, interrupted(other, event.at))
  }
}

async function appendOne(
  db: Kysely<Tables>,
  batch: Batch,
  entry: AppendEntry,
  cadence: CadenceConfig,
): Promise<Appended> {
  const { event, place, machine } = entry
  const sessionId = sessionIdOfEvent(event)
  const before = batch.sessions.get(sessionId)
  const knownSeq = batch.known.get(storableText(event.id))
  if (knownSeq !== undefined) {
    // The session of a known event is missing only when its row was lost to damage.
    const session = before ?? advance(undefined, event, { seq: knownSeq, place, machine, cadence }).session
    return { seq: knownSeq, isNew: false, session, effects: [] }
  }
  const seq = batch.head.seq + 1
  const body = canonicalJson(event)
  const hash = chainHash(batch.head.hash, body)
  batch.rows.push({
    seq,
    id: event.id,
    session_id: sessionId,
    kind: event.kind,
    at: event.at,
    prev_hash: batch.head.hash,
    hash,
    body,
  })
  batch.known.set(storableText(event.id), seq)
  batch.head = { seq, hash }
  await closeOthers(db, batch, entry)
  const { session, effects } = advance(before, event, { seq, place, machine, cadence })
  change(batch, session)
  return { seq, isNew: true, session, effects }
}

/** Appends every call's entries, in order, with a handful of statements for all of them. Runs inside one transaction. */
export async function appendAll(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'hasRowLocks'>,
  calls: readonly AppendCall[],
): Promise<readonly (readonly Appended[])[]> {
  const events = calls.flatMap(({ entries }) => entries.map(({ event }) => event))
  const head = await lockHead(db, engine)
  const batch: Batch = {
    head,
    known: await seqsOf(
      db,
      events.map(({ id }) => id),
    ),
    sessions: new Map(await loadSessions(db, [...new Set(events.map(sessionIdOfEvent))])),
    changed: new Set(),
    rows: [],
  }
  const answers: Appended[][] = []
  for (const { entries, cadence } of calls) {
    const answer: Appended[] = []
    for (const entry of entries) answer.push(await appendOne(db, batch, entry, cadence))
    answers.push(answer)
  }
  if (batch.rows.length === 0) return answers
  await inSlices(batch.rows, (slice) =>
    runCompiled(db, {
      name: 'new events',
      parameters: slice.flatMap((row) => Object.values(row)),
      build: () => db.insertInto('events').values(slice),
    }),
  )
  const changed = [...batch.changed].flatMap((id) => batch.sessions.get(id) ?? [])
  const [only] = changed
  const isSaved = only !== undefined && changed.length === 1 && (await saveRunOn(db, only, head.seq))
  if (!isSaved) await saveSessions(db, changed)
  await moveHead(db, batch.head)
  return answers
}
