import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SchemaDialect } from '../../rows/schema-dialect.ts'
import type { Tables } from '../../rows/schema.ts'
import type { TermRow } from '../../rows/sql-engine.ts'
import { parseStrings } from '../../rows/row-integrity.ts'
import { toArchiveTerms } from './archive.ts'
import { toSearchTerms } from './search-memories.ts'
import { toIndexedTerms, toWorkTerms } from './work-items.ts'

/** Per table, the newest: an upgrade must not keep a session waiting. */
const MAX_ROWS = 50_000
const PAGE = 200

const hasEszett = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    columns.flatMap((column) => ['%ß%', '%ẞ%'].map((letter) => sql`${sql.ref(column)} like ${letter}`)),
    sql` or `,
  )

interface TextTable<Row> {
  readonly table: 'memories' | 'work_items' | 'archive_items'
  readonly columns: readonly (keyof Row & string)[]
  /** Not called for a row with a damaged column. */
  readonly toTerms: (row: Row) => readonly string[] | Promise<readonly string[]>
  readonly index: {
    addAll(db: Kysely<Tables>, rows: readonly TermRow[]): Promise<void>
    remove(db: Kysely<Tables>, rowId: number): Promise<void>
  }
}

async function reindex<Row extends { readonly row_id: number }>(
  db: Kysely<Tables>,
  { table, columns, toTerms, index }: TextTable<Row>,
): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER
  for (let done = 0; done < MAX_ROWS; done += PAGE) {
    const { rows } = await sql<Row>`
      select row_id, ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where row_id < ${before} and (${hasEszett(columns)}) order by row_id desc limit ${PAGE}`.execute(db)
    const intact = rows.filter((row) => columns.every((column) => typeof row[column] === 'string'))
    const entries: TermRow[] = []
    for (const row of intact) entries.push({ rowId: row.row_id, terms: await toTerms(row) })
    for (const { rowId } of entries) await index.remove(db, rowId)
    if (entries.length > 0) await index.addAll(db, entries)
    if (rows.length < PAGE) return
    before = rows.at(-1)?.row_id ?? 0
  }
}

/** Indexes texts with an eszett again, as two letters: a search for either form no longer finds what is indexed with it. */
export async function reindexEszett(
  db: Kysely<Tables>,
  { memoryIndex, workIndex, archiveIndex }: SchemaDialect,
): Promise<void> {
  await reindex<{ row_id: number; content: string; tags: string }>(db, {
    table: 'memories',
    columns: ['content', 'tags'],
    toTerms: ({ content, tags }) => toSearchTerms(content, tags),
    index: memoryIndex,
  })
  await reindex<{ row_id: number; text: string; files: string }>(db, {
    table: 'work_items',
    columns: ['text', 'files'],
    toTerms: async ({ row_id, text, files }) => {
      const terms = toWorkTerms(text)
      await db
        .updateTable('work_items')
        .set({ terms: terms.join(' ') })
        .where('row_id', '=', row_id)
        .execute()
      return toIndexedTerms(terms, parseStrings(files))
    },
    index: workIndex,
  })
  await reindex<{ row_id: number; text: string }>(db, {
    table: 'archive_items',
    columns: ['text'],
    toTerms: ({ text }) => toArchiveTerms(text),
    index: archiveIndex,
  })
}
