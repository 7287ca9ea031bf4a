import { sql } from 'kysely'
import type { MemoryIndex } from '../engine.ts'
import type { MemoryRow } from '../schema.ts'

export const fts5MemoryIndex: MemoryIndex = {
  async add(db, rowId, terms) {
    await sql`insert into memory_terms (rowid, terms) values (${rowId}, ${terms.join(' ')})`.execute(db)
  },
  async remove(db, rowId) {
    await sql`delete from memory_terms where rowid = ${rowId}`.execute(db)
  },
  async match(db, { projectId, types, terms, limit }) {
    const phrase = terms.map((term) => `"${term}"`).join(' OR ')
    const ofType = types === undefined ? sql`` : sql`and memories.type in (${sql.join(types)})`
    const { rows } = await sql<MemoryRow>`
      select memories.*
      from memory_terms join memories on memories.row_id = memory_terms.rowid
      where memory_terms match ${phrase}
        and memories.project_id = ${projectId} and memories.superseded_by is null ${ofType}
      order by bm25(memory_terms) limit ${limit}`.execute(db)
    return rows
  },
}
