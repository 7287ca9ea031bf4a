import type { Kysely, RawBuilder } from 'kysely'
import type { StoreFinding, Log } from '../../kernel/ports/ports.ts'
import type { Embeddings } from '../../memory/recall/embeddings.ts'
import type { ArchiveRow, MemoryRow, Tables, WorkItemRow } from './schema.ts'

/** A damaged row, by its key. */
export interface DamagedRow {
  readonly table: keyof Tables
  readonly key: string
}

type Note = (row: DamagedRow) => void

/** The most rows that are reported. */
const MAX_NAMED = 200

const notes = new WeakMap<Kysely<Tables>, Note>()

/** Logs each damaged row once. */
export function createDamageNotes(log: Log | undefined): Note {
  const named = new Set<string>()
  return ({ table, key }) => {
    const name = `${table} ${key}`
    if (named.has(name) || named.size >= MAX_NAMED) return
    named.add(name)
    log?.error('A row of the database is damaged and was skipped.', { table, key })
  }
}

/** Queries know only the database or transaction that they run in; damage is reported to its listener. */
export function listenForDamage(db: Kysely<Tables>, note: Note): Kysely<Tables> {
  notes.set(db, note)
  return db
}

export function noteDamage(db: Kysely<Tables>, row: DamagedRow): void {
  notes.get(db)?.(row)
}

/**
 * PostgreSQL refuses NUL in text and SQLite bindings truncate at it; a lone surrogate has no UTF-8 form. Every string that
 * goes to either database passes here, so that lookups match what was stored. JSON bodies have both escaped already.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400')
}

export function storable(parameter: unknown): unknown {
  return typeof parameter === 'string' ? storableText(parameter) : parameter
}

/** An index and the table it covers: a row of `items` has its terms under its `row_id`. */
export interface TermTables {
  readonly terms: 'memory_terms' | 'work_terms' | 'archive_terms'
  readonly items: 'memories' | 'work_items' | 'archive_items'
}

export interface TermMatch {
  /** Distinct and not empty; letters and digits only. */
  readonly terms: readonly string[]
  /** Further conditions on the row. */
  readonly where: RawBuilder<unknown>
  readonly order: 'likely' | 'newest'
  readonly limit: number
}

export interface TermRow {
  readonly rowId: number
  readonly terms: readonly string[]
}

/** Full-text search over terms from `terms.ts`; the database's own parser is not used. */
export interface TermIndex<Row> {
  add(db: Kysely<Tables>, rowId: number, terms: readonly string[]): Promise<void>
  /** Not empty. */
  addAll(db: Kysely<Tables>, rows: readonly TermRow[]): Promise<void>
  remove(db: Kysely<Tables>, rowId: number): Promise<void>
  /** How many rows have each of the terms, counted up to `cap`. */
  frequencies(db: Kysely<Tables>, terms: readonly string[], cap: number): Promise<readonly number[]>
  /** Rows with at least one of the terms. */
  match(db: Kysely<Tables>, query: TermMatch): Promise<readonly Row[]>
}

export interface WriteOptions {
  /** False when running the change a second time would count something twice. */
  readonly isRepeatable: boolean
}

/** The differences between the two databases. The queries are written once, on top of this. */
export interface Engine {
  readonly memoryIndex: TermIndex<MemoryRow>
  readonly workIndex: TermIndex<WorkItemRow>
  readonly archiveIndex: TermIndex<ArchiveRow>
  readonly embeddings: Embeddings
  /** Whether rows can be locked for update; otherwise a write is exclusive. */
  readonly hasRowLocks: boolean
  /** Wall time of the database's machine, UTC ISO; undefined when that is this machine. */
  serverNow(db: Kysely<Tables>): Promise<string | undefined>
  describe(): Promise<string>
  read<Result>(query: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /** One transaction; durable when it resolves. The change may be retried after a failure that stored nothing. */
  write<Result>(change: (db: Kysely<Tables>) => Promise<Result>, options?: WriteOptions): Promise<Result>
  /** The database's own integrity check. */
  check(): Promise<readonly StoreFinding[]>
  /** Removes the bytes of deleted rows and the backups, which have them too. Returns how many backups. */
  scrub(): Promise<number>
  backup(path: string): Promise<void>
  close(): Promise<void>
}
