import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import type { SqliteDatabase } from './driver.ts'

const KEPT_BACKUPS = 2
const PREFIX = 'before-'

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A consistent copy, whole or not there at all. */
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

/** The database as it was before a migration; the last two upgrades can be undone. */
export function backUpBefore(migration: string, database: SqliteDatabase, backupDir: string): string {
  const path = join(backupDir, `${PREFIX}${migration}.db`)
  copyDatabase(database, path)
  const backups = readdirSync(backupDir).filter((name) => name.startsWith(PREFIX) && name.endsWith('.db'))
  for (const name of backups.toSorted().slice(0, -KEPT_BACKUPS)) rmSync(join(backupDir, name), { force: true })
  return path
}
