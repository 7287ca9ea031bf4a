import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainHash } from '../../rows/body.ts'
import { migrations } from '../../migrations/index.ts'
import type { MigrationList } from '../../migrations/migrate.ts'
import { closeConnection, openConnection, type SqliteConnection } from './connection.ts'
import { openDatabase } from './driver.ts'
import { openSqliteStore } from '../engine.ts'

let folder = ''
let file = ''
let backupDir = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-open-'))
  file = join(folder, 'data', 'holdfast.db')
  backupDir = join(folder, 'backups')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pragma = ({ database }: SqliteConnection, name: string): unknown =>
  Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]

const appliedIn = ({ database }: SqliteConnection): readonly unknown[] =>
  database
    .prepare('select name from schema_migrations order by name')
    .all()
    .map(({ name }) => name)

/** Adds empty migrations after the real ones, as later versions would. */
function withLater(...names: readonly string[]): MigrationList {
  const later = names.map((name) => [name, async () => undefined] as const)
  return { ...migrations, ...Object.fromEntries(later) }
}

describe('a connection', () => {
  test('makes every commit durable, also after the write-ahead log came into use', async () => {
    const connection = await openConnection({ file })
    connection.database.exec(`insert into sightings values ('h', '1', 'Hook', 1, 'now')`)
    expect(pragma(connection, 'journal_mode')).toBe('wal')
    expect(pragma(connection, 'synchronous')).toBe(2)
    expect(pragma(connection, 'foreign_keys')).toBe(1)
    expect(pragma(connection, 'wal_autocheckpoint')).toBe(1_000)
    expect(pragma(connection, 'journal_size_limit')).toBe(16_777_216)
    closeConnection(connection)
  })

  test('creates files for their owner alone', async () => {
    const connection = await openConnection({ file })
    const modes = readdirSync(join(folder, 'data')).map((name) => [
      name,
      statSync(join(folder, 'data', name)).mode & 0o777,
    ])
    expect(modes).toEqual([
      ['holdfast.db', 0o600],
      ['holdfast.db-shm', 0o600],
      ['holdfast.db-wal', 0o600],
    ])
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
    closeConnection(connection)
  })
})

describe('migrating', () => {
  test('a new database gets every migration and no backup', async () => {
    const connection = await openConnection({ file, backupDir })
    expect(appliedIn(connection)).toEqual(Object.keys(migrations))
    closeConnection(connection)
    expect(readdirSync(folder)).toEqual(['data'])
  })

  test('an older database is copied first, and the last two copies stay', async () => {
    const versions = [[], ['0005-a'], ['0005-a', '0006-b'], ['0005-a', '0006-b', '0007-c']]
    for (const names of versions) {
      const connection = await openConnection({ file, backupDir, migrations: withLater(...names) })
      connection.database.exec(`insert or ignore into sightings values ('h', '${names.length}', 'Hook', 1, 'now')`)
      closeConnection(connection)
    }
    expect(readdirSync(backupDir)).toEqual(['before-0006-b.db', 'before-0007-c.db'])
    const backup = await openConnection({ file: join(backupDir, 'before-0006-b.db'), migrations: withLater('0005-a') })
    expect(backup.database.prepare('select count(*) as n from sightings').get()?.n).toBe(2)
    closeConnection(backup)
  })

  test('a log from before pruning continues intact', async () => {
    const { '0005-log-anchor': _, ...older } = migrations
    closeConnection(await openConnection({ file, migrations: older }))
    const bodies = ['{"at":"then"}', '{"at":"later"}']
    const hashes = [chainHash('', '{"at":"then"}')]
    hashes.push(chainHash(hashes[0] ?? '', '{"at":"later"}'))
    const database = openDatabase(file)
    const insert = database.prepare(`insert into events values (?, ?, 's', 'turn-ended', '2020', ?, ?, ?)`)
    bodies.forEach((body, index) => insert.run(index + 1, `e${index}`, hashes[index - 1] ?? '', hashes[index], body))
    database.prepare('update log_head set seq = 2, hash = ?').run(hashes[1])
    database.close()
    await using store = await openSqliteStore({ file, backupDir })
    expect(readdirSync(backupDir)).toEqual(['before-0005-log-anchor.db'])
    expect(await store.verify()).toEqual([])
    expect(await store.pruneEvents({ now: '2026-03-01T09:00:00.000Z', retentionDays: 30, sliceRows: 1 })).toBe(1)
    expect(await store.verify()).toEqual([])
    expect(await store.counts()).toMatchObject({ events: 1 })
  })

  test('a database of a later version is refused before a byte is written', async () => {
    const later = await openConnection({ file, migrations: withLater('0099-from-the-future') })
    closeConnection(later)
    const before = readFileSync(file)
    await expect(openConnection({ file, backupDir })).rejects.toMatchObject({ code: 'store-too-new' })
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    expect(readdirSync(folder)).toEqual(['data'])
  })

  test('a failed migration leaves the previous version intact and can be retried', async () => {
    const half: MigrationList = {
      ...migrations,
      '0005-half': async (db) => {
        await sql`create table half_done (id integer)`.execute(db)
        throw new Error('The power went.')
      },
    }
    await expect(openConnection({ file, migrations: half })).rejects.toThrow('The power went.')
    const connection = await openConnection({ file })
    expect(appliedIn(connection)).toEqual(Object.keys(migrations))
    expect(connection.database.prepare(`select 1 from sqlite_schema where name = 'half_done'`).all()).toEqual([])
    closeConnection(connection)
  })
})

test('a backup is a complete store', async () => {
  await using store = await openSqliteStore({ file })
  await store.recordSighting({ harness: 'h', harnessVersion: '1', hook: 'Hook', at: 'now' })
  const copy = join(folder, 'copies', 'copy.db')
  await store.backup(copy)
  await store.backup(copy)
  await using restored = await openSqliteStore({ file: copy })
  expect(await restored.listSightings()).toEqual(await store.listSightings())
  expect(readdirSync(join(folder, 'copies')).filter((name) => name.endsWith('.partial'))).toEqual([])
})
