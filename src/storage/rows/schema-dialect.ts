import type { ColumnDataType, Kysely, RawBuilder } from 'kysely'
import type { TermIndex, TermTables } from './sql-engine.ts'
import type { ArchiveRow, MemoryRow, Tables, WorkItemRow } from './schema.ts'

/** Column types that differ between databases. */
export interface SchemaDialect {
  /** Text compared by bytes, so that order does not depend on a locale. */
  readonly text: ColumnDataType | RawBuilder<unknown>
  readonly bigint: ColumnDataType | RawBuilder<unknown>
  /** A column definition: an auto-incrementing primary key that never reuses a number. */
  readonly serialKey: RawBuilder<unknown>
  readonly now: RawBuilder<string>
  readonly memoryIndex: TermIndex<MemoryRow>
  readonly workIndex: TermIndex<WorkItemRow>
  readonly archiveIndex: TermIndex<ArchiveRow>
  createTermIndex(db: Kysely<Tables>, tables: TermTables): Promise<void>
}

export type Migration = (db: Kysely<Tables>, dialect: SchemaDialect) => Promise<void>
