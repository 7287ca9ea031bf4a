import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../kernel/errors.ts'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import type { LogMark } from '../../queries/rows/log-head.ts'
import { isCount, isObject, isText, parsed } from '../../rows/row-integrity.ts'
import { IN_MEMORY, type SqliteConnection, type SqliteOptions } from './connection.ts'
import { type FileIdentity, isStillThere } from './file-identity.ts'

// How far the log had come, in a file of its own: a write-ahead log that is cut short takes its newest commits with it, and what is
// left is a sound database that knows nothing of them. The file is written after the fact and not synced, so it may lag behind; it never
// runs ahead.

/** Under load the file is written as often as this, and not at all at rest. */
const LAG_MS = 1_000

const markFile = (file: string): string => `${file}.mark`

function readMark(file: string): LogMark | undefined {
  if (!existsSync(markFile(file))) return undefined
  const value = parsed(readFileSync(markFile(file), 'utf8'))
  if (!isObject(value)) return undefined
  const { seq, hash } = value
  return isCount(seq) && isText(hash) ? { seq, hash } : undefined
}

function headOf({ database }: SqliteConnection): LogMark | undefined {
  const row = database.prepare('select seq, hash from log_head where id = 1').get()
  return row && isCount(row.seq) && isText(row.hash) ? { seq: row.seq, hash: row.hash } : undefined
}

/** Where `doctor` finds it. */
function leaveWord(quarantineDir: string, from: number, to: number): void {
  makeDurableFolder(quarantineDir)
  const path = join(quarantineDir, `missing-events-${from}-${to}.json`)
  writeFileSync(path, `${JSON.stringify({ from, to })}\n`, { mode: 0o600, flush: true })
  syncFolder(quarantineDir)
}

/**
 * Says so when events that were acknowledged are no longer there, and lets their numbers not be given again: the gap is
 * what `verify` finds from then on.
 */
export function heedMark(connection: SqliteConnection, { file, quarantineDir, log }: SqliteOptions): void {
  if (file === IN_MEMORY) return
  const mark = readMark(file)
  const head = headOf(connection)
  if (mark === undefined || head === undefined || mark.seq <= head.seq) return
  const [from, to] = [head.seq + 1, mark.seq]
  log?.error('Events that were acknowledged are missing: the database ends before them.', { from, to })
  if (connection.isReadOnly) return
  connection.database.prepare('update log_head set seq = ?, hash = ? where id = 1').run(mark.seq, mark.hash)
  if (quarantineDir !== undefined) leaveWord(quarantineDir, from, to)
}

/** A database that somebody took away took its numbers along. */
export function forgetMark(file: string): void {
  rmSync(markFile(file), { force: true })
}

export interface MarkKeeper {
  /** Something was written: the mark follows, soon. */
  follow(): void
  /** The mark as it is now, for the last time. */
  close(): void
}

/** `inTurn` keeps it from reading in the middle of a transaction. */
export function keepMark(
  current: () => SqliteConnection,
  options: Pick<SqliteOptions, 'file' | 'log'> & {
    readonly lock?: FileIdentity
    readonly inTurn: (task: () => Promise<void>) => Promise<void>
  },
): MarkKeeper {
  const { file, lock, log, inTurn } = options
  let timer: NodeJS.Timeout | undefined
  let isClosed = file === IN_MEMORY

  function write(): void {
    // Beside the database of another home this mark would tell of events that were never there.
    if (lock !== undefined && !isStillThere(lock)) return
    try {
      const connection = current()
      const head = connection.isReadOnly ? undefined : headOf(connection)
      if (head === undefined) return
      const fresh = `${markFile(file)}.new`
      writeFileSync(fresh, JSON.stringify(head), { mode: 0o600 })
      renameSync(fresh, markFile(file))
    } catch (thrown) {
      // A mark that lags is worth less, and costs nobody anything.
      log?.debug('How far the log has come could not be noted.', { error: messageOf(thrown) })
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
