import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'

/**
 * An empty database that only its owner can read, and its folder, where there is none; both survive a power loss. SQLite
 * syncs the folder when it makes a log beside a database, but neither the folder's own entry nor a database that was there.
 * Never opens a file that exists: closing any descriptor of it drops all locks that this process has on it.
 */
export function createDatabaseFile(file: string): void {
  if (existsSync(file)) return
  makeDurableFolder(dirname(file))
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    // Another process was faster.
    if (!existsSync(file)) throw thrown
  }
  syncFolder(dirname(file))
}
