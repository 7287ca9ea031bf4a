import { type Kysely, sql } from 'kysely'
import type { ArchiveEntry, ArchiveFilter } from '../../../kernel/archive.ts'
import type { Store } from '../../../kernel/ports/ports.ts'
import { extractTerms } from '../../../kernel/text/terms.ts'
import { NO_EMBEDDINGS } from '../../../memory/recall/embeddings.ts'
import { intactRows } from '../../rows/row-integrity.ts'
import type { ArchiveRow, Tables } from '../../rows/schema.ts'
import type { Engine } from '../../rows/sql-engine.ts'
import { inSlices } from '../rows/statements.ts'
import { findCandidates, joinConditions } from './candidates.ts'

/** Per text; the rest of a long one mostly repeats. */
const MAX_TERMS = 400

/** The search terms of an entry. */
export function toArchiveTerms(text: string): readonly string[] {
  return [...new Set(extractTerms(text))].slice(0, MAX_TERMS)
}

function toConditions({ projectId, harness, kinds, since, until }: ArchiveFilter) {
  return joinConditions([
    sql`1 = 1`,
    ...(projectId === undefined ? [] : [sql`archive_items.project_id = ${projectId}`]),
    ...(harness === undefined ? [] : [sql`archive_items.harness = ${harness}`]),
    ...(kinds === undefined ? [] : [sql`archive_items.kind in (${sql.join(kinds)})`]),
    ...(since === undefined ? [] : [sql`archive_items.at >= ${since}`]),
    ...(until === undefined ? [] : [sql`archive_items.at < ${until}`]),
  ])
}

function toEntry(row: ArchiveRow): ArchiveEntry {
  return {
    seq: row.event_seq,
    sessionId: row.session_id,
    ...(row.project_id !== null && { projectId: row.project_id }),
    harness: row.harness,
    kind: row.kind,
    at: row.at,
    text: row.text,
  }
}

async function insertAll(
  db: Kysely<Tables>,
  index: Engine['archiveIndex'],
  entries: readonly ArchiveEntry[],
): Promise<void> {
  await inSlices(entries, async (slice) => {
    const rows = await db
      .insertInto('archive_items')
      .values(
        slice.map((entry) => ({
          event_seq: entry.seq,
          session_id: entry.sessionId,
          project_id: entry.projectId ?? null,
          harness: entry.harness,
          kind: entry.kind,
          at: entry.at,
          text: entry.text,
        })),
      )
      .returning(['row_id', 'text'])
      .execute()
    await index.addAll(
      db,
      rows.map(({ row_id, text }) => ({ rowId: row_id, terms: toArchiveTerms(text) })),
    )
    return []
  })
}

/** Removes these rows and subtracts their size. */
async function removeArchiveRows(
  db: Kysely<Tables>,
  index: Engine['archiveIndex'],
  rows: readonly Pick<ArchiveRow, 'row_id' | 'text'>[],
): Promise<number> {
  let chars = 0
  for (const { row_id, text } of rows) {
    await index.remove(db, row_id)
    await db.deleteFrom('archive_items').where('row_id', '=', row_id).execute()
    chars += text.length
  }
  await db
    .updateTable('archive_state')
    .set((row) => ({ chars: row('chars', '-', chars) }))
    .where('id', '=', 1)
    .execute()
  return rows.length
}

export function archiveQueries(
  engine: Engine,
): Pick<Store, 'archivedSeq' | 'addToArchive' | 'searchArchive' | 'pruneArchive'> {
  const index = engine.archiveIndex
  const readState = (db: Kysely<Tables>) =>
    db.selectFrom('archive_state').select(['seq', 'chars']).where('id', '=', 1).executeTakeFirst()
  return {
    archivedSeq: () => engine.read(async (db) => (await readState(db))?.seq ?? 0),
    addToArchive: (entries, upTo) =>
      engine.write(async (db) => {
        const state = await readState(db)
        const fresh = entries.filter(({ seq }) => seq > (state?.seq ?? 0))
        await insertAll(db, index, fresh)
        const chars = fresh.reduce((sum, { text }) => sum + text.length, state?.chars ?? 0)
        await db
          .updateTable('archive_state')
          .set({ seq: Math.max(upTo, state?.seq ?? 0), chars })
          .where('id', '=', 1)
          .execute()
      }),
    searchArchive: ({ text, ...filter }) =>
      engine.read(async (db) => {
        const { rows } = await findCandidates(
          { db, index, items: 'archive_items' },
          { text, where: toConditions(filter), isLiteral: true },
          NO_EMBEDDINGS,
        )
        return intactRows(db, 'archive_items', rows).map(toEntry)
      }),
    pruneArchive: ({ before, maxChars, sliceRows }) =>
      engine.write(async (db) => {
        const { chars = 0 } = (await readState(db)) ?? {}
        const oldest = await db
          .selectFrom('archive_items')
          .select(['row_id', 'text', 'at'])
          .orderBy('row_id')
          .limit(sliceRows)
          .execute()
        let excess = chars - maxChars
        const expired = oldest.filter(({ at, text }) => {
          if (at >= before && excess <= 0) return false
          excess -= text.length
          return true
        })
        return await removeArchiveRows(db, index, expired)
      }),
  }
}
