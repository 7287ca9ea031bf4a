import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import { migrations } from '../../migrations/index.ts'
import type { SqliteConnection, SqliteOptions } from '../connection/connection.ts'
import { isBackup, syncFile } from '../connection/database-file.ts'
import { openDatabase } from '../connection/driver.ts'
import { deleteLogMark } from '../connection/log-mark.ts'

const PARTS = ['', '-wal', '-shm'] as const

function canRead(file: string, known: ReadonlySet<string>): boolean {
  try {
    const database = openDatabase(file, { readOnly: true })
    try {
      const rows = database.prepare('select name from schema_migrations').all()
      return rows.every(({ name }) => known.has(String(name)))
    } finally {
      database.close()
    }
  } catch {
    // Damaged, or not a database of ours.
    return false
  }
}

/** The newest backup that a version with these migrations can open. */
function findReadableBackup(backupDir: string, known: ReadonlySet<string>): string | undefined {
  const names = existsSync(backupDir) ? readdirSync(backupDir).filter(isBackup) : []
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(backupDir, name))
    .find((path) => canRead(path, known))
}

/**
 * Moves the database of a later version to the backups and puts the newest backup that this version can read in its place;
 * without one, the next start creates an empty database. Nothing is deleted: the later version can be given its file again.
 */
function setAside({ file, log, ...options }: SqliteOptions, backupDir: string): void {
  const known = new Set(Object.keys(options.migrations ?? migrations))
  makeDurableFolder(backupDir)
  const backup = findReadableBackup(backupDir, known)
  const partial = `${file}.partial`
  if (backup !== undefined) {
    copyFileSync(backup, partial)
    syncFile(partial)
  }
  let number = 1
  while (existsSync(join(backupDir, `later-${number}.db`))) number += 1
  const target = join(backupDir, `later-${number}.db`)
  for (const part of PARTS) if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${target}${part}`)
  // It says how far the log of that database reached.
  deleteLogMark(file)
  if (backup !== undefined) renameSync(partial, file)
  for (const folder of [backupDir, dirname(file)]) syncFolder(folder)
  log?.warn('The database of a later version was set aside.', { path: target, continuedFrom: backup ?? 'nothing' })
}

export interface LaterOptions extends SqliteOptions {
  /** Whether the database of a later version is moved to `backupDir` and replaced by the newest backup that can be read. */
  readonly setsAsideLater?: boolean
}

/** Opens the database; that of a later version is set aside where the user wants it. `check` throws where nothing may be written. */
export async function openOrSetAside(
  options: LaterOptions,
  open: () => Promise<SqliteConnection>,
  check: () => void,
): Promise<SqliteConnection> {
  const { backupDir, setsAsideLater = false } = options
  try {
    return await open()
  } catch (thrown) {
    const isLater = thrown instanceof HoldfastError && thrown.code === 'store-too-new'
    if (!isLater || !setsAsideLater || backupDir === undefined) throw thrown
    check()
    setAside(options, backupDir)
    return await open()
  }
}
