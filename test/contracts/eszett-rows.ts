import { sql } from 'kysely'
import { ProjectId } from '../../src/kernel/id.ts'
import type { Store } from '../../src/kernel/ports/ports.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import type { Engine } from '../../src/storage/rows/sql-engine.ts'

/** The migrations of a version that indexed an eszett as it is written. */
export const BEFORE_ESZETT = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0023'))

const AT = '2026-01-01T00:00:00.000Z'
/** More than are read at once. */
const NUMBER = 250

/** One memory, one decision and many archived messages about a `Straße`, indexed as that version did. */
export async function addEszettRows(engine: Engine): Promise<void> {
  await engine.write(async (db) => {
    await sql`insert into memories (row_id, id, project_id, type, content, importance, tags, source, created_at, hits)
      values (1, 'm-1', 'p', 'note', 'Die Straße ist gesperrt', 5, '[]', 'cli', ${AT}, 0)`.execute(db)
    await engine.memoryIndex.add(db, 1, ['die', 'straß', 'ist', 'gesperrt'])
    await sql`insert into work_items
      (row_id, project_id, kind, item_id, work_key, session_id, title, text, terms, files, at)
      values (1, 'p', 'decision', 'c-1', 's', 's', 'Straße', 'Straße zuerst', 'straß zuerst', '[]', ${AT})`.execute(db)
    await engine.workIndex.add(db, 1, ['straß', 'zuerst'])
    for (let row = 1; row <= NUMBER; row += 1) {
      await sql`insert into archive_items (row_id, event_seq, session_id, project_id, harness, kind, at, text)
        values (${row}, ${row}, 's', 'p', 'claude-code', 'request', ${AT}, ${`Straße ${row}x`})`.execute(db)
      await engine.archiveIndex.add(db, row, ['straß', `${row}x`])
    }
  })
}

/** What a search for each spelling finds. */
export async function findEszettRows(store: Store): Promise<readonly unknown[]> {
  const projectId = ProjectId('p')
  const found: unknown[] = []
  for (const text of ['Strasse', 'Straße', 'STRASSE']) {
    const memories = await store.searchMemories({ projectId, text, limit: 9 })
    const work = await store.searchWork({ projectId, text, limit: 9 })
    found.push([memories.map(({ memory }) => memory.id), work.map(({ coverage }) => coverage)])
  }
  const oldest = await store.searchArchive({ text: 'Strasse 1x' })
  return [...found, oldest.some(({ text }) => text === 'Straße 1x')]
}

export const ESZETT_FOUND = [[['m-1'], [1]], [['m-1'], [1]], [['m-1'], [1]], true]
