import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { createDatabaseFile } from './database-file.ts'
import { openDatabase, type SqliteDatabase } from './driver.ts'
import { classifyFault } from './errors.ts'
import { type FileIdentity, identifyFile } from './database-file.ts'

export interface LockHandle {
  /** The locked file. If it is deleted or replaced, the folder is another home, which this lock does not cover. */
  readonly file: FileIdentity
  release(): void
}

/** Two processes that start at the same instant block each other's first step: without a retry, neither would get the lock. */
const PATIENCE_MS = 250

function hold(database: SqliteDatabase): void {
  // A rollback journal, so that EXCLUSIVE excludes every other process; nothing is ever written.
  database.exec('pragma journal_mode = delete')
  database.exec('begin exclusive')
}

/**
 * Truncates a file that is not a valid database any more, in place. SQLite takes its shared lock before it reads a byte, so a process
 * that gets NOTADB knows that the lock is free; and since nothing is ever written to the file, a
 * second process that truncates it just after the first locked it changes nothing. False when it is not a regular file with one link.
 */
function repairLockFile(file: string): boolean {
  const fd = openSync(file, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const facts = fstatSync(fd)
    if (!facts.isFile() || facts.nlink !== 1) return false
    ftruncateSync(fd)
    return true
  } finally {
    closeSync(fd)
  }
}

function isRepaired(file: string, thrown: unknown): boolean {
  try {
    return classifyFault(thrown) === 'corrupt' && repairLockFile(file)
  } catch {
    // The error of taking the lock is more useful than that of repairing it.
    return false
  }
}

function take(file: string): SqliteDatabase {
  const database = openDatabase(file, { timeout: PATIENCE_MS })
  try {
    hold(database)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function takeOrRepair(file: string): SqliteDatabase {
  try {
    return take(file)
  } catch (thrown) {
    if (isRepaired(file, thrown)) return take(file)
    throw thrown
  }
}

/**
 * A kernel lock on a small SQLite database: Node has no flock, and the kernel releases this lock however the process
 * ends. Undefined when another process holds it. If locking is impossible (a read-only folder, a file system without
 * locks), this throws: two daemons are worse than none.
 */
export function acquireLock(file: string): LockHandle | undefined {
  try {
    createDatabaseFile(file)
    const held = takeOrRepair(file)
    return { file: identifyFile(file), release: () => held.close() }
  } catch (thrown) {
    if (classifyFault(thrown) === 'busy') return undefined
    throw new HoldfastError('store-unavailable', `The lock ${file} cannot be taken: ${getErrorMessage(thrown)}.`, {
      hint:
        classifyFault(thrown) === 'corrupt'
          ? `Stop every Holdfast daemon, then delete ${file}.`
          : `Make ${dirname(file)} a writable folder on a local disk, or set HOLDFAST_HOME to one.`,
      cause: thrown,
    })
  }
}
