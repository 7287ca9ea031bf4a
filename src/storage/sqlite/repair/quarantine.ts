import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { getErrorMessage } from '../../../kernel/errors.ts'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import { inTransaction, openConnection, type SqliteConnection, type SqliteOptions } from '../connection/connection.ts'
import { openDatabase, type SqliteDatabase } from '../connection/driver.ts'
import { classifyFault } from '../connection/errors.ts'
import { salvage, type SalvageResult } from './salvage.ts'

const PARTS = ['', '-wal', '-shm'] as const

function rebuiltPath(file: string): string {
  return `${file}.rebuilt`
}

function removeDatabase(file: string): void {
  for (const part of PARTS) rmSync(`${file}${part}`, { force: true })
}

/** Moves the database with its WAL to a new name, so that it can still be opened by hand. */
function setAside(file: string, quarantineDir: string): string {
  makeDurableFolder(quarantineDir)
  let number = 1
  while (existsSync(join(quarantineDir, `${number}-${basename(file)}`))) number += 1
  const target = join(quarantineDir, `${number}-${basename(file)}`)
  // The database first. If its WAL went first, a crash in between would leave a database without its newest commits, to be rebuilt
  // without them; in this order a crash leaves a WAL without a database, which `finishRebuild` handles.
  for (const part of PARTS) if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${target}${part}`)
  // Before the source folder is synced: a file must not be missing from both.
  syncFolder(quarantineDir)
  return target
}

/** Undefined when SQLite does not accept it as a database. */
function openDamaged(file: string): SqliteDatabase | undefined {
  let database: SqliteDatabase | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    database.exec('select count(*) from sqlite_schema')
    return database
  } catch (thrown) {
    database?.close()
    if (classifyFault(thrown) !== 'corrupt') throw thrown
    return undefined
  }
}

async function salvageInto(target: SqliteConnection, file: string): Promise<SalvageResult> {
  const source = openDamaged(file)
  try {
    return await inTransaction(target, () => salvage(file, source, target))
  } finally {
    source?.close()
  }
}

/** Completes a rebuild after a crash between moving the old file away and the new one into place. */
export function finishRebuild(file: string): void {
  if (existsSync(file) || !existsSync(rebuiltPath(file))) return
  // The old WAL, whose commits are in the new file already, would be replayed into it.
  removeDatabase(file)
  renameSync(rebuiltPath(file), file)
}

/**
 * Moves a damaged database away and replaces it by an intact one with everything readable. The new one is complete before
 * the old one moves, so a crash at any point loses nothing.
 */
export async function rebuild(options: SqliteOptions, quarantineDir: string, damage: unknown): Promise<void> {
  const rebuilt = rebuiltPath(options.file)
  removeDatabase(rebuilt)
  const target = await openConnection({ file: rebuilt, migrations: options.migrations })
  let salvaged: SalvageResult
  try {
    salvaged = await salvageInto(target, options.file)
    // Only the main file is moved into place, so everything has to be in it.
    target.database.exec('pragma journal_mode = delete')
  } finally {
    target.database.close()
  }
  const quarantined = setAside(options.file, quarantineDir)
  renameSync(rebuilt, options.file)
  syncFolder(dirname(options.file))
  options.log?.error('The database was damaged. It was quarantined, and what could be read was saved.', {
    damage: getErrorMessage(damage),
    quarantined,
    saved: salvaged.rows,
  })
}
