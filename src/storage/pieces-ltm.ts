import { existsSync } from 'node:fs'
import type { PiecesSession } from '../kernel/agent-records.ts'
import type { LongTermMemory } from '../agent-api/ports.ts'
import { messageOf } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { openDatabase, type SqliteDatabase } from './sqlite/connection/driver.ts'

// Couchbase Lite's full-text tables; the shadow table holds the columns as they were, under these very names.
const SUMMARIES = String.raw`"kv_.workstream\Summaries::workstream\Summaries\Full\Text\Search\Index_content"`
const EVENTS = String.raw`"kv_.workstream\Events::workstream\Events\Full\Text\Search\Index_content"`

const RECENT_SUMMARIES = 50
const SEARCHED_SUMMARIES = 200
/** The rows also hold recognised text that we never read, and the daemon waits while they are passed over. */
const RECENT_EVENTS = 3_000
const MAX_TITLE_CHARS = 300
const CLUSTER_GAP = 100
const MIN_CLUSTER = 5

interface TitledRow {
  readonly docid: number
  readonly title: string
}

/** Window titles and summary names are clean; everything recognised from the screen is not, and is never selected. */
function rowsOf(database: SqliteDatabase, table: string, { column, limit }: { column: string; limit: number }) {
  return database
    .prepare(`select docid, "${column}" as title from ${table} order by docid desc limit ?`)
    .all(limit)
    .flatMap(({ docid, title }): readonly TitledRow[] =>
      typeof title === 'string' && title !== ''
        ? [{ docid: Number(docid), title: title.slice(0, MAX_TITLE_CHARS).toWellFormed() }]
        : [],
    )
}

function mentions(title: string, terms: readonly string[]): boolean {
  const lower = title.toLowerCase()
  return terms.some((term) => lower.includes(term.toLowerCase()))
}

function tableExists(database: SqliteDatabase, table: string): boolean {
  const name = table.slice(1, -1)
  return database.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined
}

/** Runs of window titles that belong together: a gap in their numbers means that something else was done between. */
function clustersOf(rows: readonly TitledRow[]): readonly (readonly TitledRow[])[] {
  const clusters: TitledRow[][] = []
  for (const row of rows) {
    const last = clusters.at(-1)?.at(-1)
    if (last === undefined || last.docid - row.docid > CLUSTER_GAP) clusters.push([])
    clusters.at(-1)?.push(row)
  }
  return clusters.filter((cluster) => cluster.length > MIN_CLUSTER)
}

function sessionOf(cluster: readonly TitledRow[]): readonly PiecesSession[] {
  const [newest] = cluster
  if (newest === undefined) return []
  return [
    { docid: newest.docid, title: `${cluster.length} windows, the last: ${newest.title}`, source: 'window-titles' },
  ]
}

/** Pieces' own database, opened for each look and only for reading. Without one, it knows nothing. */
export function createPieces({ file, log }: { readonly file: string | undefined; readonly log: Log }): LongTermMemory {
  function look(read: (database: SqliteDatabase) => readonly PiecesSession[]): readonly PiecesSession[] {
    if (file === undefined || !existsSync(file)) return []
    try {
      const database = openDatabase(file, { readOnly: true, timeout: 200 })
      try {
        return read(database)
      } finally {
        database.close()
      }
    } catch (thrown) {
      // Another program's file in another program's format: whatever is wrong with it, a briefing goes on without it.
      log.warn('Pieces could not be read.', { error: messageOf(thrown) })
      return []
    }
  }

  function summaries(database: SqliteDatabase, limit: number): readonly TitledRow[] {
    return tableExists(database, SUMMARIES) ? rowsOf(database, SUMMARIES, { column: 'c0name', limit }) : []
  }

  return {
    recent: async (terms, limit) =>
      look((database) => {
        const named = summaries(database, RECENT_SUMMARIES)
          .filter(({ title }) => mentions(title, terms))
          .map((row): PiecesSession => ({ ...row, source: 'summary' }))
        if (named.length >= limit || !tableExists(database, EVENTS)) return named.slice(0, limit)
        const windows = rowsOf(database, EVENTS, { column: 'c2windowTitle', limit: RECENT_EVENTS })
        const worked = clustersOf(windows.filter(({ title }) => mentions(title, terms))).flatMap(sessionOf)
        return [...named, ...worked].slice(0, limit)
      }),
    search: async (text, terms, limit) =>
      look((database) =>
        summaries(database, SEARCHED_SUMMARIES)
          .filter(({ title }) => mentions(title, [text]) && mentions(title, terms))
          .slice(0, limit)
          .map((row) => ({ ...row, source: 'summary' })),
      ),
  }
}
