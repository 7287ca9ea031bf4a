import { type Kysely, sql } from 'kysely'
import { DEFAULT_CONFIG } from '../../core/config.ts'
import { advance, type Session } from '../../core/session.ts'
import { readCheckpoint, readEvent } from '../body.ts'
import { recount } from '../queries/checkpoint-counts.ts'
import { isSoundCheckpoint } from '../queries/checkpoints.ts'
import { isSoundEvent } from '../queries/events.ts'
import { reindexMemories } from '../queries/memories.ts'
import { saveSessions } from '../queries/sessions.ts'
import type { Tables } from '../schema.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteDatabase } from './driver.ts'
import { faultOf } from './errors.ts'
import { fts5MemoryIndex } from './memory-index.ts'

/** Everything that cannot be made again from the rest. */
const TABLES = ['events', 'sessions', 'session_checkpoints', 'memories', 'work_snapshots', 'injections', 'sightings']
const CHUNK_ROWS = 1_024
/** How many empty stretches in a row mean that a table of unknown length has ended. */
const EMPTY_CHUNKS = 64

type Row = Record<string, unknown>

export interface Salvaged {
  /** Rows saved, by table. */
  readonly rows: Readonly<Record<string, number>>
}

function columnsOf(database: SqliteDatabase, table: string): readonly string[] {
  return database
    .prepare(`select name from pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))
}

/** Undefined when damage is in the way. Anything that is not damage is thrown. */
function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (thrown) {
    if (faultOf(thrown) === 'corrupt') return undefined
    throw thrown
  }
}

/** Halves a stretch that cannot be read until only the rows on the damaged page are missing. */
function readStretch(read: (low: number, high: number) => Row[], low: number, high: number): Row[] {
  const rows = unlessDamaged(() => read(low, high))
  if (rows !== undefined) return rows
  if (low === high) return []
  const middle = Math.floor((low + high) / 2)
  return [...readStretch(read, low, middle), ...readStretch(read, middle + 1, high)]
}

function* readable(source: SqliteDatabase, table: string, columns: readonly string[]): Generator<Row[]> {
  const select = source.prepare(`select ${columns.join(', ')} from ${table} where rowid between ? and ?`)
  const last = unlessDamaged(() => Number(source.prepare(`select max(rowid) as last from ${table}`).get()?.last ?? 0))
  let empty = 0
  for (let low = 1; last === undefined ? empty < EMPTY_CHUNKS : low <= last; low += CHUNK_ROWS) {
    const rows = readStretch((from, to) => select.all(from, to), low, low + CHUNK_ROWS - 1)
    empty = rows.length === 0 ? empty + 1 : 0
    if (rows.length > 0) yield rows
  }
}

function copyTable(source: SqliteDatabase, target: SqliteDatabase, table: string): number {
  const kept = new Set(columnsOf(target, table))
  const columns = columnsOf(source, table)
    .filter((column) => kept.has(column))
    .map((column) => `"${column}"`)
  if (columns.length === 0) return 0
  const values = columns.map(() => '?').join(', ')
  const insert = target.prepare(`insert or ignore into ${table} (${columns.join(', ')}) values (${values})`)
  let count = 0
  for (const rows of readable(source, table, columns)) {
    for (const row of rows) count += Number(insert.run(...Object.values(row)).changes)
  }
  return count
}

/** The head that was recorded, or the last event that could be read: numbers are never given twice. */
function restoreHead(source: SqliteDatabase, target: SqliteDatabase): void {
  const recorded = unlessDamaged(() => source.prepare('select seq, hash from log_head').get())
  const last = target.prepare('select seq, hash from events order by seq desc limit 1').get()
  const [head] = [recorded, last].filter((row) => row !== undefined).toSorted((a, b) => Number(b.seq) - Number(a.seq))
  if (head) target.prepare('update log_head set seq = ?, hash = ?').run(head.seq, head.hash)
}

/** Sessions whose row was lost are told again from their events; where they were, by their newest checkpoint. */
async function rebuildSessions(db: Kysely<Tables>): Promise<void> {
  const orphans = await db
    .selectFrom('events')
    .select('session_id')
    .distinct()
    .where('session_id', 'not in', (from) => from.selectFrom('sessions').select('sessions.id'))
    .execute()
  for (const { session_id } of orphans) {
    const checkpoint = await db
      .selectFrom('session_checkpoints')
      .select(['hash', 'body'])
      .where('session_id', '=', session_id)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    const place = checkpoint && isSoundCheckpoint(checkpoint) ? readCheckpoint(checkpoint.body).place : undefined
    const rows = await db.selectFrom('events').selectAll().where('session_id', '=', session_id).orderBy('seq').execute()
    let session: Session | undefined
    for (const row of rows.filter(isSoundEvent)) {
      const context = { seq: row.seq, place, cadence: DEFAULT_CONFIG.continuity }
      session = advance(session, readEvent(row.body), context).session
    }
    if (session) await saveSessions(db, [session])
  }
}

/** Copies what can still be read of a damaged database into a new one, and makes the rest of it again. */
export async function salvage(source: SqliteDatabase, target: SqliteConnection): Promise<Salvaged> {
  const rows: Record<string, number> = {}
  for (const table of TABLES) rows[table] = unlessDamaged(() => copyTable(source, target.database, table)) ?? 0
  restoreHead(source, target.database)
  const { db } = target
  await rebuildSessions(db)
  const sessions = await sql<Pick<Tables['checkpoint_counts'], 'session_id'>>`
    select distinct session_id from session_checkpoints`.execute(db)
  await recount(
    db,
    sessions.rows.map(({ session_id }) => session_id),
  )
  await reindexMemories(db, fts5MemoryIndex)
  return { rows }
}
