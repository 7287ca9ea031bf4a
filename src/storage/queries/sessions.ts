import type { Kysely } from 'kysely'
import type { ProcessRef } from '../../kernel/event.ts'
import { SessionId, SessionKey } from '../../kernel/id.ts'
import { isOver } from '../../kernel/ports/liveness.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { SessionQuery } from '../../kernel/ports/store-queries.ts'
import { type Session, advance } from '../../kernel/session.ts'
import { noteDamage } from '../rows/sql-engine.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables } from '../rows/schema.ts'
import { parseIntactSession } from '../rows/session-integrity.ts'
import { changeCompiled, runCompiled } from './rows/statements.ts'
import { inSlices } from './rows/statements.ts'
import { lockHead } from './rows/log-head.ts'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { readCheckpoint, readEvent } from '../rows/body.ts'
import { isIntactCheckpoint, isIntactEvent } from '../rows/row-integrity.ts'

/** Rebuilds a session whose row was lost from its events, and its location from its newest checkpoint. Undefined without any. */
export async function rebuildSession(db: Kysely<Tables>, id: SessionId): Promise<Session | undefined> {
  const checkpoint = await db
    .selectFrom('session_checkpoints')
    .select(['hash', 'body'])
    .where('session_id', '=', id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const location = checkpoint && isIntactCheckpoint(checkpoint) ? readCheckpoint(checkpoint.body).place : undefined
  const rows = await db.selectFrom('events').selectAll().where('session_id', '=', id).orderBy('seq').execute()
  let session: Session | undefined
  for (const row of rows.filter(isIntactEvent)) {
    const context = { seq: row.seq, location, cadence: DEFAULT_CONFIG.continuity }
    session = advance(session, readEvent(row.body), context).session
  }
  return session
}

/** The session after its process has ended; an ended session stays as it is. */
export function interrupted(session: Session, at: string): Session {
  return isOver(session) ? session : { ...session, phase: 'interrupted', endedAt: at }
}

function toRow(session: Session): Tables['sessions'] {
  return {
    id: session.id,
    session_key: session.key,
    harness: session.harness,
    project_id: session.place?.projectId ?? null,
    worktree: session.place?.worktree ?? null,
    phase: session.phase,
    pid: session.process?.pid ?? null,
    process_started_at: session.process?.startedAt ?? null,
    last_event_seq: session.lastEventSeq,
    body: JSON.stringify(session),
    order_seq: session.lastEventSeq,
  }
}

const READ = ['id', 'last_event_seq', 'body'] as const

/** A damaged row is rebuilt from the session's events. */
async function toSessions(
  db: Kysely<Tables>,
  rows: readonly Pick<Tables['sessions'], (typeof READ)[number]>[],
): Promise<readonly Session[]> {
  const sessions: Session[] = []
  for (const row of rows) {
    let session = parseIntactSession(row)
    if (session === undefined) {
      noteDamage(db, { table: 'sessions', key: String(row.id) })
      session = await rebuildSession(db, row.id)
    }
    if (session !== undefined) sessions.push(session)
  }
  return sessions
}

export async function loadSessions(
  db: Kysely<Tables>,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, Session>> {
  const rows = await inSlices(ids, (slice) =>
    runCompiled(db, {
      name: 'sessions by id',
      parameters: slice,
      build: () => db.selectFrom('sessions').select(READ).where('id', 'in', slice),
    }),
  )
  return new Map((await toSessions(db, rows)).map((session) => [session.id, session]))
}

function upsert(db: Kysely<Tables>, rows: readonly Tables['sessions'][]) {
  return db
    .insertInto('sessions')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        project_id: row.ref('excluded.project_id'),
        worktree: row.ref('excluded.worktree'),
        phase: row.ref('excluded.phase'),
        pid: row.ref('excluded.pid'),
        process_started_at: row.ref('excluded.process_started_at'),
        last_event_seq: row.ref('excluded.last_event_seq'),
        body: row.ref('excluded.body'),
        order_seq: row.ref('excluded.order_seq'),
      })),
    )
}

export async function saveSessions(db: Kysely<Tables>, sessions: readonly Session[]): Promise<void> {
  await inSlices(sessions.map(toRow), (slice) =>
    runCompiled(db, {
      name: 'save sessions',
      parameters: slice.flatMap((row) => Object.values(row)),
      build: () => upsert(db, slice),
    }),
  )
}

/**
 * Saves the usual changes of an event when the event before it in the log (`lastSeq`) belongs to the same session:
 * then its order stays, and no index is rewritten, which would be most of the write. Returns false, and does
 * nothing, when anything else changed or the row is damaged.
 */
export async function saveRunOn(db: Kysely<Tables>, session: Session, lastSeq: number): Promise<boolean> {
  const row = toRow(session)
  const { project_id, worktree, phase, pid, process_started_at, last_event_seq, body, id } = row
  const saved = await changeCompiled(db, {
    name: 'save session run on',
    parameters: [last_event_seq, body, id, lastSeq, phase, project_id, worktree, pid, process_started_at],
    build: () =>
      db
        .updateTable('sessions')
        .set({ last_event_seq, body })
        .where('id', '=', id)
        .where('last_event_seq', '=', lastSeq)
        .where('phase', '=', phase)
        .where('project_id', 'is not distinct from', project_id)
        .where('worktree', 'is not distinct from', worktree)
        .where('pid', 'is not distinct from', pid)
        .where('process_started_at', 'is not distinct from', process_started_at),
  })
  return saved > 0
}

/** Active sessions of a harness that were last seen in this process. */
export async function sessionsInProcess(
  db: Kysely<Tables>,
  harness: string,
  process: Required<ProcessRef>,
): Promise<readonly Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(READ)
    .where('harness', '=', harness)
    .where('pid', '=', process.pid)
    .where('process_started_at', '=', process.startedAt)
    .where('phase', 'not in', ['ended', 'interrupted'])
    .execute()
  return await toSessions(db, rows)
}

/** Changes one session under the log's lock; does nothing for an unknown one. */
export async function changeSession(
  db: Kysely<Tables>,
  id: SessionId,
  change: (session: Session) => Session,
): Promise<void> {
  const session = (await loadSessions(db, [id])).get(id)
  if (session === undefined) return
  const changed = change(session)
  if (changed !== session) await saveSessions(db, [changed])
}

async function list(db: Kysely<Tables>, query: SessionQuery): Promise<readonly Session[]> {
  const { projectId, worktree, phases, afterSession, limit } = query
  if (phases?.length === 0) return []
  const rows = await db
    .selectFrom('sessions')
    .select(READ)
    .$if(projectId !== undefined, (select) => select.where('project_id', '=', projectId ?? null))
    .$if(worktree !== undefined, (select) => select.where('worktree', '=', worktree ?? null))
    .$if(phases !== undefined, (select) => select.where('phase', 'in', phases ?? []))
    // By the column that sorts: `last_event_seq` of sessions that run at the same time is in another order.
    .$if(afterSession !== undefined, (select) =>
      select.where('order_seq', '<', (inner) =>
        inner
          .selectFrom('sessions as last')
          .select('last.order_seq')
          .where('last.id', '=', afterSession ?? SessionId('')),
      ),
    )
    .orderBy('order_seq', 'desc')
    .limit(limit)
    .execute()
  return await toSessions(db, rows)
}

export function sessionQueries(
  engine: Engine,
): Pick<
  Store,
  | 'findSession'
  | 'findSessionsByKey'
  | 'findSessionsByPrefix'
  | 'listSessions'
  | 'markInterrupted'
  | 'noteObserved'
  | 'saveLabels'
> {
  return {
    findSession: (id) => engine.read(async (db) => (await loadSessions(db, [id])).get(id)),
    findSessionsByKey: (key) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('sessions')
          .select(READ)
          .where('session_key', '=', key)
          .orderBy('order_seq', 'desc')
          .execute()
        return await toSessions(db, rows)
      }),
    findSessionsByPrefix: (beginning, limit) =>
      engine.read(async (db) => {
        const rows = await db
          .selectFrom('sessions')
          .select(READ)
          .where('session_key', '>=', SessionKey(beginning))
          .where('session_key', '<', SessionKey(`${beginning}\u{10ffff}`))
          .orderBy('order_seq', 'desc')
          .limit(limit)
          .execute()
        return await toSessions(db, rows)
      }),
    saveLabels: (id, labels) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        await changeSession(db, id, (session) => ({ ...session, labels }))
        return (await loadSessions(db, [id])).get(id)
      }),
    listSessions: (query) => engine.read((db) => list(db, query)),
    markInterrupted: (id, at) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        await changeSession(db, id, (session) => interrupted(session, at))
      }),
    noteObserved: (id, { contextTokens, contextWindowTokens, harnessVersion }) =>
      engine.write(async (db) => {
        await lockHead(db, engine)
        await changeSession(db, id, (session) => ({
          ...session,
          contextTokens: contextTokens ?? session.contextTokens,
          contextWindowTokens: contextWindowTokens ?? session.contextWindowTokens,
          harnessVersion: harnessVersion ?? session.harnessVersion,
        }))
      }),
  }
}
