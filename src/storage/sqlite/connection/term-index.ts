import { type RawBuilder, sql } from 'kysely'
import type { TermIndex, TermTables } from '../../rows/sql-engine.ts'
import type { MemoryRow, WorkItemRow } from '../../rows/schema.ts'

/** FTS5 over terms that core/terms.ts made. */
function fts5Index<Row>({ terms: name, items }: TermTables): TermIndex<Row> {
  const terms = sql.table(name)
  const phraseOf = (words: readonly string[]) => words.map((word) => `"${word}"`).join(' OR ')

  const countOf = (term: string, cap: number): RawBuilder<number> =>
    sql<number>`(select count(*) from (select 1 from ${terms} where ${terms} match ${phraseOf([term])} limit ${cap}))`

  return {
    async add(db, rowId, words) {
      await sql`insert into ${terms} (rowid, terms) values (${rowId}, ${words.join(' ')})`.execute(db)
    },
    async remove(db, rowId) {
      await sql`delete from ${terms} where rowid = ${rowId}`.execute(db)
    },
    async frequencies(db, words, cap) {
      const columns = words.map((word, index) => sql`${countOf(word, cap)} as ${sql.ref(`c${index}`)}`)
      const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db)
      return words.map((_, index) => rows[0]?.[`c${index}`] ?? 0)
    },
    async match(db, { terms: words, where, order, limit }) {
      const ordered = order === 'likely' ? sql`bm25(${terms})` : sql`-${terms}.rowid`
      // Only numbers are sorted; whole rows are read for those that are left.
      const { rows } = await sql<Row>`
        select ${sql.table(items)}.* from (
          select ${terms}.rowid as found, ${ordered} as place
          from ${terms} join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = ${terms}.rowid
          where ${terms} match ${phraseOf(words)} and ${where}
          order by place limit ${limit}
        ) join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = found order by place`.execute(db)
      return rows
    },
  }
}

export const MEMORY_INDEX: TermIndex<MemoryRow> = fts5Index({ terms: 'memory_terms', items: 'memories' })
export const WORK_INDEX: TermIndex<WorkItemRow> = fts5Index({ terms: 'work_terms', items: 'work_items' })
