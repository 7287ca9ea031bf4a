import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aPrompt, CADENCE, idOf } from '../../../test/contracts/store-examples.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { createSqlStore } from '../queries/sql-store.ts'
import { openSqliteEngine } from './engine.ts'
import { acquireLock } from './connection/lock.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-trouble-'))
  file = join(folder, 'data', 'holdfast.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Simulates a full disk: the file may not grow beyond this. */
async function limitPages(engine: Engine, pages: number): Promise<void> {
  await engine.read((db) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db))
}

describe('a full disk', () => {
  test('refuses writes with a hint, stays readable, loses nothing, and writes again once there is room', async () => {
    const engine = await openSqliteEngine({ file, quarantineDir: join(folder, 'quarantine') })
    await using store = createSqlStore(engine)
    await limitPages(engine, 200)
    let acknowledged = 0
    const write = () => store.append([{ event: aPrompt('a', { prompt: 'x'.repeat(4_000) }) }], CADENCE)
    await expect(async () => {
      for (;;) {
        await write()
        acknowledged += 1
      }
    }).rejects.toMatchObject({ code: 'store-unavailable', hint: expect.stringContaining('disk space') })
    expect(acknowledged).toBeGreaterThan(5)
    expect(await store.listEvents({ limit: 1_000 })).toHaveLength(acknowledged)
    await expect(write()).rejects.toMatchObject({ code: 'store-unavailable' })
    await limitPages(engine, 100_000)
    await write()
    expect(await store.lastSeq()).toBe(acknowledged + 1)
    expect(await store.verify()).toEqual([])
  })

  test('refuses a whole group alike', async () => {
    const engine = await openSqliteEngine({ file })
    await using store = createSqlStore(engine)
    await limitPages(engine, 60)
    const calls = Array.from({ length: 50 }, (_, index) =>
      store.append([{ event: aPrompt(`s${index}`, { prompt: 'x'.repeat(8_000) }) }], CADENCE),
    )
    const outcomes = await Promise.allSettled(calls)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(await store.counts()).toMatchObject({ events: 0, sessions: 0 })
  })
})

test('a store that was closed refuses every call, and does not create its file again', async () => {
  const store = createSqlStore(await openSqliteEngine({ file, quarantineDir: join(folder, 'quarantine') }))
  await store.append([{ event: aPrompt('a') }], CADENCE)
  await store[Symbol.asyncDispose]()
  rmSync(join(folder, 'data'), { recursive: true })
  await expect(store.append([{ event: aPrompt('b') }], CADENCE)).rejects.toMatchObject({ code: 'store-unavailable' })
  await expect(store.counts()).rejects.toMatchObject({ code: 'store-unavailable' })
  await store[Symbol.asyncDispose]()
  expect(readdirSync(folder)).toEqual([])
})

test('a database file that was removed under a running store is opened again, so that no write is lost', async () => {
  const engine = await openSqliteEngine({ file })
  await using store = createSqlStore(engine)
  await store.append([{ event: aPrompt('lost') }], CADENCE)
  rmSync(join(folder, 'data'), { recursive: true })
  await store.append([{ event: aPrompt('kept') }], CADENCE)
  await using reader = createSqlStore(await openSqliteEngine({ file }))
  expect(await reader.findSession(idOf('kept'))).toBeDefined()
})

test('once its lock is lost, a store opens and writes nothing more', async () => {
  const lock = join(folder, 'lock.db')
  const held = acquireLock(lock)
  const store = createSqlStore(await openSqliteEngine({ file, lock: held?.file }))
  await store.append([{ event: aPrompt('before') }], CADENCE)
  // Another home at the same path, with its own database.
  rmSync(lock)
  rmSync(join(folder, 'data'), { recursive: true })
  const next = acquireLock(lock)
  {
    await using other = createSqlStore(await openSqliteEngine({ file, lock: next?.file }))
    await other.append([{ event: aPrompt('other') }], CADENCE)
  }
  const before = readdirSync(join(folder, 'data')).map((name) => [name, readFileSync(join(folder, 'data', name))])
  await expect(store.append([{ event: aPrompt('late') }], CADENCE)).rejects.toMatchObject({ code: 'store-unavailable' })
  await store[Symbol.asyncDispose]()
  expect(readdirSync(join(folder, 'data')).map((name) => [name, readFileSync(join(folder, 'data', name))])).toEqual(
    before,
  )
  held?.release()
  next?.release()
})

test('concurrent appends share commits', async () => {
  const engine = await openSqliteEngine({ file })
  let commits = 0
  const counting: Engine = {
    ...engine,
    write: (change, options) => {
      commits += 1
      return engine.write(change, options)
    },
  }
  await using store = createSqlStore(counting)
  await Promise.all(Array.from({ length: 200 }, (_, index) => store.append([{ event: aPrompt(`s${index}`) }], CADENCE)))
  expect(await store.lastSeq()).toBe(200)
  expect(commits).toBeLessThanOrEqual(4)
})
