import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../../../kernel/errors.ts'
import { makeDurableFolder, syncFolder } from '../../../platform/files/durable-folder.ts'
import { inTransaction, openConnection, type SqliteConnection, type SqliteOptions } from '../connection/connection.ts'
import { openDatabase, type SqliteDatabase } from '../connection/driver.ts'
import { faultOf } from '../connection/errors.ts'
import { salvage, type Salvaged } from './salvage.ts'

const PARTS = ['', '-wal', '-shm'] as const

function rebuiltPath(file: string): string {
  return `${file}.rebuilt`
}

function removeDatabase(file: string): void {
  for (const part of PARTS) rmSync(`${file}${part}`, { force: true })
}

/** Under one new name with its WAL, so that it can still be opened by hand. */
function setAside(file: string, quarantineDir: string): string {
  makeDurableFolder(quarantineDir)
  let number = 1
  while (existsSync(join(quarantineDir, `${number}-${basename(file)}`))) number += 1
  const target = join(quarantineDir, `${number}-${basename(file)}`)
  // The database first. Were its WAL to go first, a crash in between would leave a database without its newest commits, to be rebuilt
  // from those alone; this way round a crash leaves a WAL without a database, which `finishRebuild` expects.
  for (const part of PARTS) if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${target}${part}`)
  // Before the folder that they left is synced: a file must not be gone from both.
  syncFolder(quarantineDir)
  return target
}

/** Undefined when SQLite does not take it for a database at all. */
function openDamaged(file: string): SqliteDatabase | undefined {
  let database: SqliteDatabase | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    database.exec('select count(*) from sqlite_schema')
    return database
  } catch (thrown) {
    database?.close()
    if (faultOf(thrown) !== 'corrupt') throw thrown
    return undefined
  }
}

async function salvageInto(target: SqliteConnection, file: string): Promise<Salvaged> {
  const source = openDamaged(file)
  try {
    return await inTransaction(target, () => salvage(file, source, target))
  } finally {
    source?.close()
  }
}

/** A crash between setting aside and putting the new one in place leaves only the new one, finished: it is taken. */
export function finishRebuild(file: string): void {
  if (existsSync(file) || !existsSync(rebuiltPath(file))) return
  // A WAL of the old one, whose commits are in the new one already, would be played into it page by page.
  removeDatabase(file)
  renameSync(rebuiltPath(file), file)
}

/**
 * Sets a damaged database aside and puts a sound one with everything readable in its place. The new one is whole before
 * the old one moves, so a crash at any point loses nothing.
 */
export async function rebuild(options: SqliteOptions, quarantineDir: string, damage: unknown): Promise<void> {
  const rebuilt = rebuiltPath(options.file)
  removeDatabase(rebuilt)
  const target = await openConnection({ file: rebuilt, migrations: options.migrations })
  let salvaged: Salvaged
  try {
    salvaged = await salvageInto(target, options.file)
    // Only the one file is moved into place, so everything has to be in it.
    target.database.exec('pragma journal_mode = delete')
  } finally {
    target.database.close()
  }
  const quarantined = setAside(options.file, quarantineDir)
  renameSync(rebuilt, options.file)
  syncFolder(dirname(options.file))
  options.log?.error('The database was damaged. It was set aside, and what could be read was saved.', {
    damage: messageOf(damage),
    quarantined,
    saved: salvaged.rows,
  })
}
