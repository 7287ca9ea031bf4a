import { statSync, closeSync, existsSync, openSync, fsyncSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import type { SqliteDatabase } from './driver.ts'

const RETAINED_BACKUPS = 2
const PREFIX = 'before-'

export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a file in the backups is a copy from before a migration. */
export function isBackup(name: string): boolean {
  return name.startsWith(PREFIX) && name.endsWith('.db')
}

/** Makes a consistent copy, atomically. */
export function copyDatabase(database: SqliteDatabase, path: string): void {
  makeDurableFolder(dirname(path))
  const partial = `${path}.partial`
  rmSync(partial, { force: true })
  closeSync(openSync(partial, 'wx', 0o600))
  database.prepare('vacuum into ?').run(partial)
  syncFile(partial)
  renameSync(partial, path)
  syncFolder(dirname(path))
}

/** Saves the database before a migration; the last two backups are retained. */
export function backUpBefore(migration: string, database: SqliteDatabase, backupDir: string): string {
  const path = join(backupDir, `${PREFIX}${migration}.db`)
  copyDatabase(database, path)
  const backups = readdirSync(backupDir).filter(isBackup)
  for (const name of backups.toSorted().slice(0, -RETAINED_BACKUPS)) rmSync(join(backupDir, name), { force: true })
  return path
}

/**
 * Creates an empty database that only its owner can read, and its folder, if missing; both survive a power loss. SQLite
 * syncs the folder when it creates a log, but neither the folder's own entry nor an existing database.
 * Never opens a file that exists: closing any descriptor of it drops all locks that this process has on it.
 */
export function createDatabaseFile(file: string): void {
  if (existsSync(file)) return
  makeDurableFolder(dirname(file))
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    // Another process created it first.
    if (!existsSync(file)) throw thrown
  }
  syncFolder(dirname(file))
}

/** Identifies a file: another file at the same path has another id, as long as the first one is held open. */
export interface FileIdentity {
  readonly path: string
  readonly id: string | undefined
}

/** Undefined when the file is missing. */
function readFileId(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}

export function identifyFile(path: string): FileIdentity {
  return { path, id: readFileId(path) }
}

export function isStillThere({ path, id }: FileIdentity): boolean {
  return readFileId(path) === id
}

/** Rewrites the file without deleted content, and deletes older copies of it in these folders. Returns how many. */
export function scrub(database: SqliteDatabase, folders: readonly (string | undefined)[]): number {
  for (const table of ['memory_terms', 'work_terms', 'archive_terms'])
    database.exec(`insert into ${table} (${table}) values ('optimize')`)
  database.exec('vacuum')
  database.exec('pragma wal_checkpoint(truncate)')
  const copies = folders.flatMap((folder) =>
    folder !== undefined && existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  for (const path of copies) rmSync(path, { recursive: true, force: true })
  return copies.length
}
