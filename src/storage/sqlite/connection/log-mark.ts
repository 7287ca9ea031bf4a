import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage } from '../../../kernel/errors.ts'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import type { LogMark } from '../../queries/rows/log-head.ts'
import { isCount, isText, parsed } from '../../rows/row-integrity.ts'
import { IN_MEMORY, type SqliteConnection, type SqliteOptions } from './connection.ts'
import { type FileIdentity, isStillThere } from './database-file.ts'
import { isObject } from '../../../kernel/json-shape.ts'

// The newest sequence number of the log, in a separate file: a truncated write-ahead log loses its newest commits, and what is
// left is an intact database without them. The file is written after the commit and not synced, so it may lag behind; it is never
// ahead.

/** The shortest interval between writes of the file. */
const LAG_MS = 1_000

const markFile = (file: string): string => `${file}.mark`

function readMark(file: string): LogMark | undefined {
  if (!existsSync(markFile(file))) return undefined
  const value = parsed(readFileSync(markFile(file), 'utf8'))
  if (!isObject(value)) return undefined
  const { seq, hash } = value
  return isCount(seq) && isText(hash) ? { seq, hash } : undefined
}

function readHead({ database }: SqliteConnection): LogMark | undefined {
  const row = database.prepare('select seq, hash from log_head where id = 1').get()
  return row && isCount(row.seq) && isText(row.hash) ? { seq: row.seq, hash: row.hash } : undefined
}

/** Leaves a note for `doctor`. */
function writeNote(quarantineDir: string, from: number, to: number): void {
  makeDurableFolder(quarantineDir)
  const path = join(quarantineDir, `missing-events-${from}-${to}.json`)
  writeFileSync(path, `${JSON.stringify({ from, to })}\n`, { mode: 0o600, flush: true })
  syncFolder(quarantineDir)
}

/**
 * Reports when acknowledged events are missing, and prevents their numbers from being reused: the gap is
 * what `verify` reports from then on.
 */
export function checkLogMark(connection: SqliteConnection, { file, quarantineDir, log }: SqliteOptions): void {
  if (file === IN_MEMORY) return
  const mark = readMark(file)
  const head = readHead(connection)
  if (mark === undefined || head === undefined || mark.seq <= head.seq) return
  const [from, to] = [head.seq + 1, mark.seq]
  log?.error('Events that were acknowledged are missing: the database ends before them.', { from, to })
  if (connection.isReadOnly) return
  connection.database.prepare('update log_head set seq = ?, hash = ? where id = 1').run(mark.seq, mark.hash)
  if (quarantineDir !== undefined) writeNote(quarantineDir, from, to)
}

/** Called when the database was removed: its sequence numbers no longer count. */
export function deleteLogMark(file: string): void {
  rmSync(markFile(file), { force: true })
}

export interface LogMarkWriter {
  /** Schedules an update of the mark after a write. */
  follow(): void
  /** Writes the mark a last time. */
  close(): void
}

/** `inTurn` prevents it from reading in the middle of a transaction. */
export function createLogMarkWriter(
  current: () => SqliteConnection,
  options: Pick<SqliteOptions, 'file' | 'log'> & {
    readonly lock?: FileIdentity
    readonly inTurn: (task: () => Promise<void>) => Promise<void>
  },
): LogMarkWriter {
  const { file, lock, log, inTurn } = options
  let timer: NodeJS.Timeout | undefined
  let isClosed = file === IN_MEMORY

  function write(): void {
    // Next to another database this mark would report events that never existed.
    if (lock !== undefined && !isStillThere(lock)) return
    try {
      const connection = current()
      const head = connection.isReadOnly ? undefined : readHead(connection)
      if (head === undefined) return
      const fresh = `${markFile(file)}.new`
      writeFileSync(fresh, JSON.stringify(head), { mode: 0o600 })
      renameSync(fresh, markFile(file))
    } catch (thrown) {
      // A stale mark is harmless.
      log?.debug('The log mark could not be written.', { error: getErrorMessage(thrown) })
    }
  }

  return {
    follow() {
      if (isClosed || timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        // Refused when the store was closed meanwhile, which has written the mark.
        inTurn(async () => {
          if (!isClosed) write()
        }).catch(() => undefined)
      }, LAG_MS).unref()
    },
    close() {
      if (isClosed) return
      clearTimeout(timer)
      write()
      isClosed = true
    },
  }
}
