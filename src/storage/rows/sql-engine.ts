import type { Kysely, RawBuilder } from 'kysely'
import type { StoreFinding } from '../../kernel/ports/ports.ts'
import type { Embeddings } from '../../memory/recall/embeddings.ts'
import type { MemoryRow, Tables, WorkItemRow } from './schema.ts'

/** An index and what it is over: a row of `items` has its terms under its `row_id`. */
export interface TermTables {
  readonly terms: 'memory_terms' | 'work_terms'
  readonly items: 'memories' | 'work_items'
}

export interface TermMatch {
  /** Distinct and not empty; letters and digits only. */
  readonly terms: readonly string[]
  /** What else a row must be. */
  readonly where: RawBuilder<unknown>
  readonly order: 'likely' | 'newest'
  readonly limit: number
}

/** Full-text search over terms that `terms.ts` made; the database's own parsing has no say. */
export interface TermIndex<Row> {
  add(db: Kysely<Tables>, rowId: number, terms: readonly string[]): Promise<void>
  remove(db: Kysely<Tables>, rowId: number): Promise<void>
  /** How many rows have each of the terms, counted no further than `cap`. */
  frequencies(db: Kysely<Tables>, terms: readonly string[], cap: number): Promise<readonly number[]>
  /** Rows with at least one of the terms. */
  match(db: Kysely<Tables>, query: TermMatch): Promise<readonly Row[]>
}

export interface WriteOptions {
  /** False when running the change a second time would count something twice. */
  readonly isRepeatable: boolean
}

/** What the two databases differ in. The queries are written once, over this. */
export interface Engine {
  readonly memoryIndex: TermIndex<MemoryRow>
  readonly workIndex: TermIndex<WorkItemRow>
  readonly embeddings: Embeddings
  /** Whether rows can be locked for update; without, a write has the database to itself. */
  readonly hasRowLocks: boolean
  /** Wall time as the database's own machine has it, UTC ISO; undefined where that is this machine. */
  serverNow(db: Kysely<Tables>): Promise<string | undefined>
  describe(): Promise<string>
  read<Result>(query: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /** One transaction; durable when it resolves. The change may run again after a failure that left nothing behind. */
  write<Result>(change: (db: Kysely<Tables>) => Promise<Result>, options?: WriteOptions): Promise<Result>
  /** The database's own check of itself. */
  check(): Promise<readonly StoreFinding[]>
  backup(path: string): Promise<void>
  close(): Promise<void>
}
