import { sql, SqliteDialect, type Kysely, type SqliteDatabase as KyselySqlite } from 'kysely'
import type { SchemaDialect } from '../../migrations/dialect.ts'
import type { Tables } from '../../rows/schema.ts'
import { storable } from '../../rows/storable.ts'
import type { SqliteDatabase, SqliteStatement } from './driver.ts'
import { WORK_INDEX } from './term-index.ts'

const MAX_PREPARED = 256

interface Prepared {
  readonly statement: SqliteStatement
  readonly isReader: boolean
}

type Prepare = (text: string) => Prepared

/** Statements are prepared once while they are in use. */
export function preparerOf(database: SqliteDatabase): Prepare {
  const prepared = new Map<string, Prepared>()
  return (text) => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    const entry = { statement, isReader: statement.columns().length > 0 }
    const [oldest] = prepared.keys()
    if (prepared.size >= MAX_PREPARED && oldest !== undefined) prepared.delete(oldest)
    prepared.set(text, entry)
    return entry
  }
}

export function runPrepared({ statement, isReader }: Prepared, parameters: readonly unknown[]) {
  if (isReader) return { rows: statement.all(...parameters.map(storable)), changed: 0 }
  return { rows: [], changed: Number(statement.run(...parameters.map(storable)).changes) }
}

/** Kysely speaks better-sqlite3's dialect of the API. */
export function kyselyDialect(database: SqliteDatabase, prepare = preparerOf(database)): SqliteDialect {
  const adapted: KyselySqlite = {
    close: () => database.close(),
    prepare(text) {
      const { statement, isReader } = prepare(text)
      return {
        reader: isReader,
        all: (parameters) => statement.all(...parameters.map(storable)),
        run: (parameters) => statement.run(...parameters.map(storable)),
        iterate: (parameters) => statement.all(...parameters.map(storable)).values(),
      }
    },
  }
  return new SqliteDialect({ database: adapted })
}

export const sqliteSchema: SchemaDialect = {
  text: 'text',
  bigint: 'integer',
  serialKey: sql`integer primary key autoincrement`,
  now: sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  workIndex: WORK_INDEX,
  createTermIndex: async (db: Kysely<Tables>, { terms }) => {
    // `ascii` takes every other byte for part of a word: our own terms, separated by spaces, go in as they are.
    await sql`create virtual table ${sql.table(terms)} using fts5(terms, content='', contentless_delete=1, tokenize='ascii')`.execute(
      db,
    )
  },
}
