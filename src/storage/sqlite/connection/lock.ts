import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { createDatabaseFile } from './create-file.ts'
import { openDatabase, type SqliteDatabase } from './driver.ts'
import { faultOf } from './errors.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'

export interface LockHandle {
  /** The file that is locked. Who deletes or replaces it makes another home of the folder, to which this lock gives no right. */
  readonly file: FileIdentity
  release(): void
}

/** Two who come at the same instant each find the other's first step in the way: without a second try, neither would get it. */
const PATIENCE_MS = 250

function hold(database: SqliteDatabase): void {
  // A rollback journal, so that EXCLUSIVE shuts out everybody; nothing is ever written under it.
  database.exec('pragma journal_mode = delete')
  database.exec('begin exclusive')
}

/**
 * Empties a file that is no database any more, in place. SQLite takes its shared lock before it reads a byte, so whoever
 * is told that the bytes are garbage knows that nobody holds the lock; and since nothing is ever written to the file, a
 * second starter who empties it just after the first took it changes nothing. False when it is no plain file of its own.
 */
function heal(file: string): boolean {
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

function isHealed(file: string, thrown: unknown): boolean {
  try {
    return faultOf(thrown) === 'corrupt' && heal(file)
  } catch {
    // What kept the lock from being taken says more than what kept it from being healed.
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

function takeOrHeal(file: string): SqliteDatabase {
  try {
    return take(file)
  } catch (thrown) {
    if (isHealed(file, thrown)) return take(file)
    throw thrown
  }
}

/**
 * A kernel lock, by way of a tiny database: Node has no flock, and the kernel lets go of this one however the process
 * ends. Undefined when another process holds it. Where no lock can be had (a read-only folder, a file system without
 * locks) this throws: two daemons are worse than none.
 */
export function acquireLock(file: string): LockHandle | undefined {
  try {
    createDatabaseFile(file)
    const held = takeOrHeal(file)
    return { file: identityOf(file), release: () => held.close() }
  } catch (thrown) {
    if (faultOf(thrown) === 'busy') return undefined
    throw new HoldfastError('store-unavailable', `The lock ${file} cannot be taken: ${messageOf(thrown)}.`, {
      hint:
        faultOf(thrown) === 'corrupt'
          ? `Stop every Holdfast daemon, then delete ${file}.`
          : `Make ${dirname(file)} a writable folder on a local disk, or set HOLDFAST_HOME to one.`,
      cause: thrown,
    })
  }
}
