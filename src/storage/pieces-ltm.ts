// Pieces for Developers is a program that records what a person works on. This reads the titles in its long-term memory (LTM).
import { existsSync } from 'node:fs'
import type { PiecesSession } from '../kernel/agent-records.ts'
import type { LongTermMemory } from '../agent-api/ports.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { openDatabase, type SqliteDatabase } from './sqlite/connection/driver.ts'
import { join } from 'node:path'

/** The path of the Pieces database, unless `PIECES_DB_PATH` is set; the file may not exist. */
export function piecesFile(env: NodeJS.ProcessEnv): string | undefined {
  if (env.PIECES_DB_PATH) return env.PIECES_DB_PATH
  const userHome = env.HOME || env.USERPROFILE
  return userHome && join(userHome, 'Documents/com.pieces.os/production/Pieces/couchbase.cblite2/db.sqlite3')
}

// Couchbase Lite's full-text tables; the shadow table holds the original columns under these names.
const SUMMARIES = String.raw`"kv_.workstream\Summaries::workstream\Summaries\Full\Text\Search\Index_content"`
const EVENTS = String.raw`"kv_.workstream\Events::workstream\Events\Full\Text\Search\Index_content"`

const RECENT_SUMMARIES = 50
const SEARCHED_SUMMARIES = 200
/** The rows also hold OCR text that we never read, and the daemon waits while they are scanned. */
const RECENT_EVENTS = 3_000
const MAX_TITLE_CHARS = 300
const CLUSTER_GAP = 100
const MIN_CLUSTER = 5

interface TitledRow {
  readonly docid: number
  readonly title: string
}

/** Only window titles and summary names are read; OCR text is never selected. */
function readRows(database: SqliteDatabase, table: string, { column, limit }: { column: string; limit: number }) {
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

/** Groups of window titles: a gap in their numbers means other activity in between. */
function groupTitles(rows: readonly TitledRow[]): readonly (readonly TitledRow[])[] {
  const clusters: TitledRow[][] = []
  for (const row of rows) {
    const last = clusters.at(-1)?.at(-1)
    if (last === undefined || last.docid - row.docid > CLUSTER_GAP) clusters.push([])
    clusters.at(-1)?.push(row)
  }
  return clusters.filter((cluster) => cluster.length > MIN_CLUSTER)
}

function toPiecesSession(cluster: readonly TitledRow[]): readonly PiecesSession[] {
  const [newest] = cluster
  if (newest === undefined) return []
  return [
    { docid: newest.docid, title: `${cluster.length} windows, the last: ${newest.title}`, source: 'window-titles' },
  ]
}

interface PiecesOptions {
  readonly findFile: () => string | undefined
  readonly log: Log
}

/** Reads the Pieces database, opened read-only for each query. Without one, it returns nothing. */
export function createPieces({ findFile, log }: PiecesOptions): LongTermMemory {
  function look(read: (database: SqliteDatabase) => readonly PiecesSession[]): readonly PiecesSession[] {
    const file = findFile()
    if (file === undefined || !existsSync(file)) return []
    try {
      const database = openDatabase(file, { readOnly: true, timeout: 200 })
      try {
        return read(database)
      } finally {
        database.close()
      }
    } catch (thrown) {
      // Another program's file: whatever is wrong with it, the briefing continues without it.
      log.warn('Pieces could not be read.', { error: getErrorMessage(thrown) })
      return [
        {
          docid: 0,
          title: `Pieces query error: ${getErrorMessage(thrown)}`.slice(0, MAX_TITLE_CHARS),
          source: 'error',
        },
      ]
    }
  }

  function summaries(database: SqliteDatabase, limit: number): readonly TitledRow[] {
    return tableExists(database, SUMMARIES) ? readRows(database, SUMMARIES, { column: 'c0name', limit }) : []
  }

  return {
    recent: async (terms, limit) =>
      look((database) => {
        const named = summaries(database, RECENT_SUMMARIES)
          .filter(({ title }) => mentions(title, terms))
          .map((row): PiecesSession => ({ ...row, source: 'summary' }))
        if (named.length >= limit || !tableExists(database, EVENTS)) return named.slice(0, limit)
        const windows = readRows(database, EVENTS, { column: 'c2windowTitle', limit: RECENT_EVENTS })
        const worked = groupTitles(windows.filter(({ title }) => mentions(title, terms))).flatMap(toPiecesSession)
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
