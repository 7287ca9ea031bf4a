import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { HoldfastError, messageOf } from '../../core/errors.ts'
import { openDatabase, type SqliteDatabase } from './driver.ts'
import { faultOf } from './errors.ts'

export interface LockHandle {
  release(): void
}

/** Two who come at the same instant each find the other's first step in the way: without a second try, neither would get it. */
const PATIENCE_MS = 250

/** Never opens one that exists: closing any descriptor of a file drops all locks that this process has on it. */
function create(file: string): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    if (!existsSync(file)) throw thrown
  }
}

function hold(database: SqliteDatabase): void {
  // A rollback journal, so that EXCLUSIVE shuts out everybody; nothing is ever written under it.
  database.exec('pragma journal_mode = delete')
  database.exec('begin exclusive')
}

/**
 * A kernel lock, by way of a tiny database: Node has no flock, and the kernel lets go of this one however the process
 * ends. Undefined when another process holds it. Where no lock can be had (a read-only folder, a file system without
 * locks) this throws: two daemons are worse than none.
 */
export function acquireLock(file: string): LockHandle | undefined {
  let database: SqliteDatabase | undefined
  try {
    create(file)
    database = openDatabase(file, { timeout: PATIENCE_MS })
    hold(database)
    const held = database
    return { release: () => held.close() }
  } catch (thrown) {
    database?.close()
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
