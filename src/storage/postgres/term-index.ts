import { sql } from 'kysely'
import type { TermIndex, TermTables } from '../rows/sql-engine.ts'
import type { MemoryRow, WorkItemRow } from '../rows/schema.ts'

/** A tsvector of terms that core/terms.ts made, under an inverted index. */
function tsvectorIndex<Row>({ terms: name, items }: TermTables): TermIndex<Row> {
  const terms = sql.table(name)
  const vector = sql.ref(`${name}.terms`)
  const phraseOf = (words: readonly string[]) => sql`cast(${words.map((word) => `'${word}'`).join(' | ')} as tsquery)`

  return {
    async add(db, rowId, words) {
      // As an array, not through a text search parser: our own terms go in as they are.
      const distinct = [...new Set(words)]
      await sql`
        insert into ${terms} (row_id, terms)
        values (${rowId}, array_to_tsvector(string_to_array(${distinct.join(' ')}, ' ')))`.execute(db)
    },
    async remove(db, rowId) {
      await sql`delete from ${terms} where row_id = ${rowId}`.execute(db)
    },
    async frequencies(db, words, cap) {
      const columns = words.map(
        (word, index) =>
          sql`(select count(*) from (select 1 from ${terms} where ${vector} @@ ${phraseOf([word])} limit ${cap}) as counted) as ${sql.ref(`c${index}`)}`,
      )
      const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db)
      return words.map((_, index) => rows[0]?.[`c${index}`] ?? 0)
    },
    async match(db, { terms: words, where, order, limit }) {
      const newest = sql`${sql.ref(`${items}.row_id`)} desc`
      const ordered = order === 'likely' ? sql`ts_rank(${vector}, ${phraseOf(words)}) desc, ${newest}` : newest
      const { rows } = await sql<Row>`
        select ${sql.table(items)}.*
        from ${terms} join ${sql.table(items)} on ${sql.ref(`${items}.row_id`)} = ${sql.ref(`${name}.row_id`)}
        where ${vector} @@ ${phraseOf(words)} and ${where}
        order by ${ordered} limit ${limit}`.execute(db)
      return rows
    },
  }
}

export const MEMORY_INDEX: TermIndex<MemoryRow> = tsvectorIndex({ terms: 'memory_terms', items: 'memories' })
export const WORK_INDEX: TermIndex<WorkItemRow> = tsvectorIndex({ terms: 'work_terms', items: 'work_items' })
