import { sql, SqliteDialect, type Kysely, type SqliteDatabase as KyselySqlite, type RawBuilder } from 'kysely'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'
import type { ArchiveRow, Tables, MemoryRow, WorkItemRow } from '../../rows/schema.ts'
import { storable, type TermIndex, type TermTables } from '../../rows/sql-engine.ts'
import type { SqliteDatabase, SqliteStatement } from './driver.ts'
import { BoundedMap } from '../../../kernel/structures/bounded-map.ts'

/** FTS5 over terms from kernel/text/terms.ts. */
function fts5Index<Row>({ terms: name, items }: TermTables): TermIndex<Row> {
  const terms = sql.table(name)
  const toPhrase = (words: readonly string[]) => words.map((word) => `"${word}"`).join(' OR ')

  const countTerm = (term: string, cap: number): RawBuilder<number> =>
    sql<number>`(select count(*) from (select 1 from ${terms} where ${terms} match ${toPhrase([term])} limit ${cap}))`

  return {
    async add(db, rowId, words) {
      await sql`insert into ${terms} (rowid, terms) values (${rowId}, ${words.join(' ')})`.execute(db)
    },
    async addAll(db, rows) {
      const values = rows.map(({ rowId, terms: words }) => sql`(${rowId}, ${words.join(' ')})`)
      await sql`insert into ${terms} (rowid, terms) values ${sql.join(values)}`.execute(db)
    },
    async remove(db, rowId) {
      await sql`delete from ${terms} where rowid = ${rowId}`.execute(db)
    },
    async frequencies(db, words, cap) {
      const columns = words.map((word, index) => sql`${countTerm(word, cap)} as ${sql.ref(`c${index}`)}`)
      const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db)
      return words.map((_, index) => rows[0]?.[`c${index}`] ?? 0)
    },
    async match(db, { terms: words, where, order, limit }) {
      // By row id, FTS5 reads in order and stops at the limit; an expression would sort every match.
      const ordered = order === 'likely' ? sql`bm25(${terms})` : sql`${terms}.rowid desc`
      const place = order === 'likely' ? sql`bm25(${terms})` : sql`-${terms}.rowid`
      // Only ids are sorted; whole rows are read for the remaining ones.
      const { rows } = await sql<Row>`
        select ${sql.table(items)}.* from (
          select ${terms}.rowid as found, ${place} as place
          from ${terms} join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = ${terms}.rowid
          where ${terms} match ${toPhrase(words)} and ${where}
          order by ${ordered} limit ${limit}
        ) join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = found order by place`.execute(db)
      return rows
    },
  }
}

export const MEMORY_INDEX: TermIndex<MemoryRow> = fts5Index({ terms: 'memory_terms', items: 'memories' })
export const WORK_INDEX: TermIndex<WorkItemRow> = fts5Index({ terms: 'work_terms', items: 'work_items' })
export const ARCHIVE_INDEX: TermIndex<ArchiveRow> = fts5Index({ terms: 'archive_terms', items: 'archive_items' })

const MAX_PREPARED = 256

interface PreparedStatement {
  readonly statement: SqliteStatement
  readonly isReader: boolean
}

type Prepare = (text: string) => PreparedStatement

/** Caches prepared statements. */
export function createStatementCache(database: SqliteDatabase): Prepare {
  const prepared = new BoundedMap<string, PreparedStatement>(MAX_PREPARED)
  return (text) => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    const entry = { statement, isReader: statement.columns().length > 0 }
    prepared.set(text, entry)
    return entry
  }
}

export function runPrepared({ statement, isReader }: PreparedStatement, parameters: readonly unknown[]) {
  if (isReader) return { rows: statement.all(...parameters.map(storable)), changed: 0 }
  return { rows: [], changed: Number(statement.run(...parameters.map(storable)).changes) }
}

/** Adapts to the better-sqlite3 API that Kysely expects. */
export function kyselyDialect(database: SqliteDatabase, prepare = createStatementCache(database)): SqliteDialect {
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
  memoryIndex: MEMORY_INDEX,
  workIndex: WORK_INDEX,
  archiveIndex: ARCHIVE_INDEX,
  createTermIndex: async (db: Kysely<Tables>, { terms }) => {
    // `ascii` treats every other byte as part of a word: our terms, separated by spaces, are stored unchanged.
    await sql`create virtual table ${sql.table(terms)} using fts5(terms, content='', contentless_delete=1, tokenize='ascii')`.execute(
      db,
    )
  },
}
