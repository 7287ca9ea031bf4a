import type { Kysely } from 'kysely'
import type { ProcessRef } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { SessionQuery, Store } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { noteDamage } from '../rows/damage-notes.ts'
import type { Engine } from '../rows/sql-engine.ts'
import type { Tables } from '../rows/schema.ts'
import { soundSession } from '../rows/session-integrity.ts'
import { changeCompiled, runCompiled } from './rows/compiled.ts'
import { inSlices } from './rows/slices.ts'
import { lockHead } from './rows/log-head.ts'
import { retellSession } from './rebuild-session.ts'

export function isOver(session: Session): boolean {
  return session.phase === 'ended' || session.phase === 'interrupted'
}

/** The session once its process is known to be gone; one that is over already stays as it is. */
export function interrupted(session: Session, at: string): Session {
  return isOver(session) ? session : { ...session, phase: 'interrupted', endedAt: at }
}

function rowOf(session: Session): Tables['sessions'] {
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

/** A row that is not what was written is told again from the session's events. */
async function sessionsOf(
  db: Kysely<Tables>,
  rows: readonly Pick<Tables['sessions'], (typeof READ)[number]>[],
): Promise<readonly Session[]> {
  const sessions: Session[] = []
  for (const row of rows) {
    let session = soundSession(row)
    if (session === undefined) {
      noteDamage(db, { table: 'sessions', key: String(row.id) })
      session = await retellSession(db, row.id)
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
  return new Map((await sessionsOf(db, rows)).map((session) => [session.id, session]))
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
  await inSlices(sessions.map(rowOf), (slice) =>
    runCompiled(db, {
      name: 'save sessions',
      parameters: slice.flatMap((row) => Object.values(row)),
      build: () => upsert(db, slice),
    }),
  )
}

/**
 * Saves what an event changes of a session nearly always, where the one before it in the log (`lastSeq`) was the session's own:
 * then its place among the newest stays, and so does every index, which would be most of what is written. Says false, and does
 * nothing, where anything else is different or the row is not what it should be.
 */
export async function saveRunOn(db: Kysely<Tables>, session: Session, lastSeq: number): Promise<boolean> {
  const row = rowOf(session)
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

/** Sessions of a harness, not over, that were last seen in this very process. */
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
  return await sessionsOf(db, rows)
}

/** Changes one session under the log's lock; an unknown one is left unknown. */
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
  const { projectId, worktree, phases, limit } = query
  if (phases?.length === 0) return []
  const rows = await db
    .selectFrom('sessions')
    .select(READ)
    .$if(projectId !== undefined, (select) => select.where('project_id', '=', projectId ?? null))
    .$if(worktree !== undefined, (select) => select.where('worktree', '=', worktree ?? null))
    .$if(phases !== undefined, (select) => select.where('phase', 'in', phases ?? []))
    .orderBy('order_seq', 'desc')
    .limit(limit)
    .execute()
  return await sessionsOf(db, rows)
}

export function sessionQueries(
  engine: Engine,
): Pick<Store, 'findSession' | 'findSessionsByKey' | 'listSessions' | 'markInterrupted' | 'noteObserved'> {
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
        return await sessionsOf(db, rows)
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
