import type { Kysely } from 'kysely'
import type { EventId, SessionId } from '../../kernel/id.ts'
import { getSessionId } from '../../kernel/event.ts'
import { isOver } from '../../kernel/ports/liveness.ts'
import type { AppendEntry, AppendResult } from '../../kernel/ports/ports.ts'
import { advance, type CadenceConfig, type Session } from '../../kernel/session.ts'
import { chainHash } from '../rows/body.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { EventRow, Tables } from '../rows/schema.ts'
import { storableText } from '../rows/sql-engine.ts'
import { runCompiled } from './rows/statements.ts'
import { lockHead, moveHead, type LogMark } from './rows/log-head.ts'
import { interrupted, loadSessions, saveRunOn, saveSessions, sessionsInProcess } from './sessions.ts'
import { inSlices } from './rows/statements.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'

export interface AppendCall {
  readonly entries: readonly AppendEntry[]
  readonly cadence: CadenceConfig
}

/** What one transaction has read and will write. */
interface Batch {
  head: LogMark
  readonly known: Map<string, number>
  readonly sessions: Map<SessionId, Session>
  readonly changed: Set<SessionId>
  readonly rows: EventRow[]
}

/** The sequence number of the first arrival of each id, by its storable form. */
export async function findSeqs(db: Kysely<Tables>, ids: readonly EventId[]): Promise<Map<string, number>> {
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

/** A process has one session at a time: when it starts another, the previous one has ended, reported or not. */
async function closeOthers(db: Kysely<Tables>, batch: Batch, { event, machine }: AppendEntry): Promise<void> {
  if (event.kind !== 'session-started' || event.subagent !== undefined) return
  const { pid, startedAt } = event.process ?? {}
  if (pid === undefined || startedAt === undefined) return
  for (const kept of await sessionsInProcess(db, event.harness, { pid, startedAt })) {
    if (!batch.sessions.has(kept.id)) batch.sessions.set(kept.id, kept)
  }
  const own = getSessionId(event)
  for (const other of batch.sessions.values()) {
    const isSameProcess = other.process?.pid === pid && other.process.startedAt === startedAt
    if (other.id === own || other.harness !== event.harness || !isSameProcess || isOver(other)) continue
    // Two machines may have equal pids and start times.
    if (other.machine !== undefined && machine !== undefined && other.machine.id !== machine.id) continue
    change(batch, interrupted(other, event.at))
  }
}

async function appendOne(
  db: Kysely<Tables>,
  batch: Batch,
  entry: AppendEntry,
  cadence: CadenceConfig,
): Promise<AppendResult> {
  const { event, location: place, machine } = entry
  const sessionId = getSessionId(event)
  const before = batch.sessions.get(sessionId)
  const knownSeq = batch.known.get(storableText(event.id))
  if (knownSeq !== undefined) {
    // The session of a known event is missing only when its row was damaged.
    const session = before ?? advance(undefined, event, { seq: knownSeq, location: place, machine, cadence }).session
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
  const { session, effects } = advance(before, event, { seq, location: place, machine, cadence })
  change(batch, session)
  return { seq, isNew: true, session, effects }
}

/** Appends the entries of all calls, in order, with a few statements in total. Runs inside one transaction. */
export async function appendAll(
  db: Kysely<Tables>,
  engine: Pick<Engine, 'hasRowLocks'>,
  calls: readonly AppendCall[],
): Promise<readonly (readonly AppendResult[])[]> {
  const events = calls.flatMap(({ entries }) => entries.map(({ event }) => event))
  const head = await lockHead(db, engine)
  const batch: Batch = {
    head,
    known: await findSeqs(
      db,
      events.map(({ id }) => id),
    ),
    sessions: new Map(await loadSessions(db, [...new Set(events.map(getSessionId))])),
    changed: new Set(),
    rows: [],
  }
  const answers: AppendResult[][] = []
  for (const { entries, cadence } of calls) {
    const answer: AppendResult[] = []
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
