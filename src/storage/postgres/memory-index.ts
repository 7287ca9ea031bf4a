import { sql } from 'kysely'
import type { MemoryIndex } from '../engine.ts'
import type { MemoryRow } from '../schema.ts'

export const tsvectorMemoryIndex: MemoryIndex = {
  async add(db, rowId, terms) {
    // As an array, not through a text search parser: our own terms go in as they are.
    const distinct = [...new Set(terms)]
    await sql`
      insert into memory_terms (row_id, terms)
      values (${rowId}, array_to_tsvector(string_to_array(${distinct.join(' ')}, ' ')))`.execute(db)
  },
  async remove(db, rowId) {
    await sql`delete from memory_terms where row_id = ${rowId}`.execute(db)
  },
  async match(db, { projectId, types, terms, limit }) {
    const phrase = terms.map((term) => `'${term}'`).join(' | ')
    const ofType = types === undefined ? sql`` : sql`and memories.type in (${sql.join(types)})`
    const { rows } = await sql<MemoryRow>`
      select memories.*
      from memory_terms join memories on memories.row_id = memory_terms.row_id
      where memory_terms.terms @@ cast(${phrase} as tsquery)
        and memories.project_id = ${projectId} and memories.superseded_by is null ${ofType}
      order by ts_rank(memory_terms.terms, cast(${phrase} as tsquery)) desc, memories.row_id desc limit ${limit}`.execute(
      db,
    )
    return rows
  },
}
