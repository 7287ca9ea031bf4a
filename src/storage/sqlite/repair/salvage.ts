import { recount } from '../../queries/rows/checkpoint-row.ts'
import { reindexMemories } from '../../queries/search/memories.ts'
import { reindexWork } from '../../queries/search/summaries.ts'
import {
  isIntactCheckpoint,
  isIntactEvent,
  isIntactReceipt,
  isIntactRow,
  SHAPED_TABLES,
} from '../../rows/row-integrity.ts'
import { parseIntactSession } from '../../rows/session-integrity.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import type { SqliteDatabase } from '../connection/driver.ts'
import { unlessDamaged } from '../connection/errors.ts'
import { scanRows, type ScannedRow, type SqlValue } from './page-scan.ts'
import { MEMORY_INDEX, WORK_INDEX } from '../connection/dialect.ts'
import type { Kysely } from 'kysely'
import { rebuildSession } from '../../queries/sessions.ts'
import { saveSessions } from '../../queries/sessions.ts'
import type { Tables } from '../../rows/schema.ts'
import { GENESIS_HASH } from '../../rows/body.ts'

interface ChainMark {
  readonly seq: number
  readonly hash: string
}

interface Ends {
  readonly head: ChainMark
  readonly anchor: ChainMark
}

const START_OF_ALL: ChainMark = { seq: 0, hash: GENESIS_HASH }

function markAt(seq: unknown, hash?: unknown): ChainMark {
  return { seq: Number(seq ?? 0), hash: typeof hash === 'string' ? hash : GENESIS_HASH }
}

/** Undefined when there is no such row. */
function toMark(row: Record<string, unknown> | undefined): ChainMark | undefined {
  return row && markAt(row.seq, row.hash)
}

const later = (one: ChainMark, other: ChainMark): ChainMark => (other.seq > one.seq ? other : one)

/** As recorded; in a database from before the anchor the log starts at its first event. */
function recordedEnds(source: SqliteDatabase | undefined): Ends | undefined {
  const row = unlessDamaged(() => source?.prepare('select * from log_head where id = 1').get())
  return row && { head: markAt(row.seq, row.hash), anchor: markAt(row.anchor_seq, row.anchor_hash) }
}

/** The largest sequence number that any salvaged row mentions: its event may be pruned or lost. */
function lastMentioned(target: SqliteDatabase): ChainMark {
  const row = target
    .prepare(
      `select max(coalesce((select max(last_event_seq) from sessions), 0),
                  coalesce((select max(event_seq) from session_checkpoints), 0),
                  coalesce((select max(event_seq) from work_snapshots), 0)) as seq`,
    )
    .get()
  return toMark(row) ?? START_OF_ALL
}

/** Restores the start and end of the log: as recorded, else inferred from salvaged rows. Sequence numbers are never reused. */
function restoreEnds(source: SqliteDatabase | undefined, target: SqliteDatabase): void {
  const recorded = recordedEnds(source)
  // Pages that no tree references any more may still hold events from before the anchor.
  if (recorded) target.prepare('delete from events where seq <= ?').run(recorded.anchor.seq)
  const first = toMark(
    target.prepare('select seq - 1 as seq, prev_hash as hash from events order by seq limit 1').get(),
  )
  const last = toMark(target.prepare('select seq, hash from events order by seq desc limit 1').get())
  const end = last ?? START_OF_ALL
  // With equal numbers, the event's own hash is more reliable.
  const head = later(end, recorded?.head ?? lastMentioned(target))
  const anchor = recorded?.anchor ?? first ?? head
  target
    .prepare('update log_head set seq = ?, hash = ?, anchor_seq = ?, anchor_hash = ?')
    .run(head.seq, head.hash, anchor.seq, anchor.hash)
}

/** Deletes session rows that are not valid sessions, so that they are rebuilt from their events. */
async function deleteDamagedSessions(db: Kysely<Tables>): Promise<void> {
  const rows = await db.selectFrom('sessions').select(['id', 'last_event_seq', 'body']).execute()
  for (const row of rows) {
    if (parseIntactSession(row) === undefined) await db.deleteFrom('sessions').where('id', '=', row.id).execute()
  }
}

/** Rebuilds sessions whose row was lost from their events. */
async function rebuildSessions(db: Kysely<Tables>): Promise<void> {
  await deleteDamagedSessions(db)
  const orphans = await db
    .selectFrom('events')
    .select('session_id')
    .distinct()
    .where('session_id', 'not in', (from) => from.selectFrom('sessions').select('sessions.id'))
    .execute()
  for (const { session_id } of orphans) {
    const session = await rebuildSession(db, session_id)
    if (session) await saveSessions(db, [session])
  }
  // Rows from before `order_seq` existed have none.
  await db
    .updateTable('sessions')
    .set((row) => ({ order_seq: row.ref('last_event_seq') }))
    .execute()
}

/** Tables that cannot be rebuilt from others. Receipts record the disk and checkpoints of their time: rebuilt, they would say less. */
const TABLES = ['events', 'sessions', 'session_checkpoints', 'receipts', ...SHAPED_TABLES]
/** Tables worth scanning page by page. */
const SCANNED = ['events', 'sessions', 'session_checkpoints', 'memories', 'receipts', 'rules']
/** Tables whose first column is not the row id. */
const WITHOUT_ROW_KEY: ReadonlySet<string> = new Set(['sessions', 'receipts'])
const CHUNK_ROWS = 1_024
/** How many empty ranges in a row mean that a table of unknown length has ended. */
const EMPTY_CHUNKS = 8

type Row = Record<string, unknown>

export interface SalvageResult {
  /** Rows saved, by table. */
  readonly rows: Readonly<Record<string, number>>
}

function listColumns(database: SqliteDatabase, table: string): readonly string[] {
  return database
    .prepare(`select name from pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))
}

type ReadRange = (low: number, high: number) => Row[]

/** In a larger range, three unreadable rows far apart mean that the table's tree is destroyed, not one page. */
const HOPELESS_ROWS = 256

function isHopeless(read: ReadRange, low: number, high: number): boolean {
  if (high - low < HOPELESS_ROWS) return false
  const middle = Math.floor((low + high) / 2)
  return [low, middle, high].every((rowId) => unlessDamaged(() => read(rowId, rowId)) === undefined)
}

/** Bisects an unreadable range until only the rows on the damaged page are missing. */
function readStretch(read: ReadRange, low: number, high: number): { rows: Row[]; isWhole: boolean } {
  const rows = unlessDamaged(() => read(low, high))
  if (rows !== undefined) return { rows, isWhole: true }
  if (low === high || isHopeless(read, low, high)) return { rows: [], isWhole: false }
  const middle = Math.floor((low + high) / 2)
  const [left, right] = [readStretch(read, low, middle), readStretch(read, middle + 1, high)]
  return { rows: [...left.rows, ...right.rows], isWhole: false }
}

interface CopyResult {
  readonly count: number
  /** False when rows may remain that no query reaches. */
  readonly isWhole: boolean
}

function inserter(
  target: SqliteDatabase,
  table: string,
  columns: readonly string[],
): (values: readonly unknown[]) => number {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const values = columns.map(() => '?').join(', ')
  const insert = target.prepare(`insert or ignore into ${table} (${names}) values (${values})`)
  return (row) => Number(insert.run(...row).changes)
}

function copyTable(source: SqliteDatabase, target: SqliteDatabase, table: string): CopyResult {
  const kept = new Set(listColumns(target, table))
  const columns = listColumns(source, table).filter((column) => kept.has(column))
  if (columns.length === 0) return { count: 0, isWhole: false }
  const insert = inserter(target, table, columns)
  const names = columns.map((column) => `"${column}"`).join(', ')
  const select = source.prepare(`select ${names} from ${table} where rowid between ? and ?`)
  const last = unlessDamaged(() => Number(source.prepare(`select max(rowid) as last from ${table}`).get()?.last ?? 0))
  const first = unlessDamaged(() =>
    Number(source.prepare(`select min(rowid) as first from ${table}`).get()?.first ?? 1),
  )
  let count = 0
  // A missing column makes a row that the new table may not accept.
  let isWhole = last !== undefined && columns.length === kept.size
  let empty = 0
  for (let low = first ?? 1; last === undefined ? empty < EMPTY_CHUNKS : low <= last; low += CHUNK_ROWS) {
    const stretch = readStretch((from, to) => select.all(from, to), low, low + CHUNK_ROWS - 1)
    isWhole &&= stretch.isWhole
    empty = stretch.rows.length === 0 ? empty + 1 : 0
    for (const row of stretch.rows) count += insert(Object.values(row))
  }
  return { count, isWhole }
}

/** Columns that a later migration added: older rows lack them on their page. */
const ADDED_COLUMNS: Readonly<Record<string, number>> = { memories: 6, rules: 1, sessions: 1 }

/** Our scanned tables by their number of columns, which is unique among them. */
function tablesByWidth(target: SqliteDatabase): ReadonlyMap<number, { table: string; columns: readonly string[] }> {
  return new Map(
    SCANNED.flatMap((table) => {
      const columns = listColumns(target, table)
      const widths = Array.from({ length: 1 + (ADDED_COLUMNS[table] ?? 0) }, (_, added) => columns.length - added)
      return widths.map((width) => [width, { table, columns }] as const)
    }),
  )
}

/** The key column is stored as NULL on the page; queries return the row id instead. */
function withKey(row: ScannedRow, hasRowKey: boolean): readonly SqlValue[] {
  return hasRowKey ? [row.rowId, ...row.values.slice(1)] : row.values
}

function isOurs(table: string, values: Readonly<Record<string, SqlValue>>): boolean {
  const { body, hash, prev_hash, id, last_event_seq } = values
  if (table === 'receipts') return isIntactReceipt({ body, hash })
  if (typeof id !== 'string') return false
  if (table === 'memories' || table === 'rules') return isIntactRow(table, values)
  if (table === 'sessions') return parseIntactSession({ id, last_event_seq, body }) !== undefined
  return table === 'events' ? isIntactEvent({ prev_hash, body, hash }) : isIntactCheckpoint({ body, hash })
}

/** Copies rows that no query reaches any more by scanning pages. */
function copyScanned(file: string, target: SqliteDatabase, counts: Record<string, number>): void {
  const tables = tablesByWidth(target)
  const inserters = new Map([...tables.values()].map(({ table, columns }) => [table, inserter(target, table, columns)]))
  for (const row of scanRows(file)) {
    const match = tables.get(row.values.length)
    if (match === undefined) continue
    const found = withKey(row, !WITHOUT_ROW_KEY.has(match.table))
    const values = match.columns.map((_, index) => found[index] ?? null)
    const named = Object.fromEntries(match.columns.map((column, index) => [column, values[index] ?? null]))
    if (!isOurs(match.table, named)) continue
    counts[match.table] = (counts[match.table] ?? 0) + (inserters.get(match.table)?.(values) ?? 0)
  }
}

/** Copies what is readable of a damaged database into a new one, and rebuilds the rest. */
export async function salvage(
  file: string,
  source: SqliteDatabase | undefined,
  target: SqliteConnection,
): Promise<SalvageResult> {
  const rows: Record<string, number> = {}
  let isWhole = source !== undefined
  if (source !== undefined) {
    for (const table of TABLES) {
      const copied = unlessDamaged(() => copyTable(source, target.database, table))
      rows[table] = copied?.count ?? 0
      isWhole &&= copied?.isWhole ?? false
    }
  }
  if (!isWhole) copyScanned(file, target.database, rows)
  restoreEnds(source, target.database)
  const { db } = target
  await rebuildSessions(db)
  const sessions = await db.selectFrom('session_checkpoints').select('session_id').distinct().execute()
  await recount(
    db,
    sessions.map(({ session_id }) => session_id),
  )
  await reindexMemories(db, MEMORY_INDEX)
  await reindexWork(db, WORK_INDEX)
  return { rows }
}
