import type { Kysely } from 'kysely'
import type { ProjectId } from '../core/id.ts'
import type { MemoryType } from '../core/memory.ts'
import type { StoreFinding } from '../core/ports.ts'
import type { MemoryRow, Tables } from './schema.ts'

export interface MemoryMatch {
  readonly projectId: ProjectId
  /** Distinct and not empty; letters and digits only. */
  readonly terms: readonly string[]
  readonly types?: readonly MemoryType[]
  readonly limit: number
}

/** Full-text search over terms that `terms.ts` made; the database's own parsing has no say. */
export interface MemoryIndex {
  add(db: Kysely<Tables>, rowId: number, terms: readonly string[]): Promise<void>
  remove(db: Kysely<Tables>, rowId: number): Promise<void>
  /** Current memories with at least one of the terms, the likelier ones first. */
  match(db: Kysely<Tables>, query: MemoryMatch): Promise<readonly MemoryRow[]>
}

export interface WriteOptions {
  /** False when running the change a second time would count something twice. */
  readonly isRepeatable: boolean
}

/** What the two databases differ in. The queries are written once, over this. */
export interface Engine {
  readonly memoryIndex: MemoryIndex
  /** Whether rows can be locked for update; without, a write has the database to itself. */
  readonly hasRowLocks: boolean
  describe(): Promise<string>
  read<Result>(query: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /** One transaction; durable when it resolves. The change may run again after a failure that left nothing behind. */
  write<Result>(change: (db: Kysely<Tables>) => Promise<Result>, options?: WriteOptions): Promise<Result>
  /** The database's own check of itself. */
  check(): Promise<readonly StoreFinding[]>
  backup(path: string): Promise<void>
  close(): Promise<void>
}
