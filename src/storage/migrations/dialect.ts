import type { ColumnDataType, Kysely, RawBuilder } from 'kysely'
import type { TermIndex, TermTables } from '../rows/sql-engine.ts'
import type { Tables, WorkItemRow } from '../rows/schema.ts'

/** What the databases call the same thing. */
export interface SchemaDialect {
  /** Text compared byte by byte, so that order does not depend on a locale. */
  readonly text: ColumnDataType | RawBuilder<unknown>
  readonly bigint: ColumnDataType | RawBuilder<unknown>
  /** A whole column definition: a primary key that counts up and never gives a number twice. */
  readonly serialKey: RawBuilder<unknown>
  readonly now: RawBuilder<string>
  readonly workIndex: TermIndex<WorkItemRow>
  createTermIndex(db: Kysely<Tables>, tables: TermTables): Promise<void>
}

export type Migration = (db: Kysely<Tables>, dialect: SchemaDialect) => Promise<void>
