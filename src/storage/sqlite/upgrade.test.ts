import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addEszettRows, BEFORE_ESZETT, ESZETT_FOUND, findEszettRows } from '../../../test/contracts/eszett-rows.ts'
import { aPrompt, CADENCE } from '../../../test/contracts/store-examples.ts'
import { ME_PROJECT, MemoryId, ProjectId } from '../../kernel/id.ts'
import { migrations } from '../migrations/index.ts'
import { createSqlStore } from '../queries/sql-store.ts'
import { closeConnection, openConnection } from './connection/connection.ts'
import { openSqliteEngine, openSqliteStore } from './engine.ts'

let file = ''
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-upgrade-'))
  file = join(folder, 'holdfast.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a home from before scopes keeps its memories, as those of their project', async () => {
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0016'))
  const old = await openConnection({ file, migrations: before })
  old.database.exec(`insert into memories
    (id, project_id, type, content, importance, tags, source, created_at, hits)
    values ('m-1', 'p', 'note', 'Use tabs', 5, '[]', 'cli', '2026-01-01T00:00:00.000Z', 0)`)
  closeConnection(old)

  await using store = await openSqliteStore({ file })
  const memory = {
    id: MemoryId('m-1'),
    projectId: ProjectId('p'),
    type: 'note' as const,
    content: 'Use tabs',
    importance: 5,
    tags: [],
    source: 'cli',
    createdAt: '2026-01-01T00:00:00.000Z',
    hits: 0,
  }
  expect(await store.listMemories({ projectId: ProjectId('p'), limit: 9 })).toEqual([memory])
  expect(await store.listMemories({ projectId: ProjectId('other'), limit: 9 })).toEqual([])
  await store.replaceMemory({ ...memory, projectId: ME_PROJECT, scope: 'me' })
  expect(await store.listMemories({ projectId: ProjectId('other'), limit: 9 })).toEqual([
    { ...memory, projectId: ME_PROJECT, scope: 'me' },
  ])
  expect(await store.verify()).toEqual([])
})

test('a home from before records keeps its rules and locations, as its own, and exchanges them', async () => {
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0018'))
  const old = await openConnection({ file, migrations: before })
  old.database.exec(`insert into rules (id, project_id, text, since, state, source, scope)
    values ('rule-1', 'p', 'Never push.', '2026-01-01T00:00:00.000Z', 'active', 'added', 'project')`)
  old.database.exec(`insert into project_locations
    (machine_id, location, project_id, remotes, commits, last_seen_at)
    values ('desk', '/home/dev/a', 'p', '[]', '[]', '2026-01-01T00:00:00.000Z')`)
  closeConnection(old)

  await using store = await openSqliteStore({ file })
  const rule = await store.findRule('rule-1')
  expect(rule).toEqual((await store.listRules({ projectId: ProjectId('p') }))[0])
  expect([rule?.text, rule?.origin]).toEqual(['Never push.', undefined])
  const [location] = await store.listLocations({ projectId: ProjectId('p') })
  expect([location?.location, location?.origin]).toEqual(['/home/dev/a', undefined])
  const version = {
    kind: 'rule',
    id: 'rule-1',
    projectId: ProjectId('p'),
    count: 1,
    machine: 'desk',
    hash: 'h',
  } as const
  await store.saveVersions([version])
  await store.saveVersions([{ ...version, count: 2 }])
  expect(await store.findVersions('rule', ['rule-1', 'rule-2'])).toEqual([{ ...version, count: 2 }])
  expect(await store.verify()).toEqual([])
})

test('a home from before an eszett was two letters finds its texts by both spellings', async () => {
  const old = await openSqliteEngine({ file, migrations: BEFORE_ESZETT })
  await addEszettRows(old)
  await old.close()

  await using store = await openSqliteStore({ file })
  expect(await findEszettRows(store)).toEqual(ESZETT_FOUND)
  expect(await store.verify()).toEqual([])
})

test('the database of a later version is set aside only where the user wants it, and a readable backup continues', async () => {
  const backupDir = join(folder, 'backups')
  const earlier = Object.fromEntries(Object.entries(migrations).slice(0, -1))
  const old = await openSqliteEngine({ file, backupDir, migrations: earlier })
  await old.close()
  const current = createSqlStore(await openSqliteEngine({ file, backupDir }))
  await current.append([{ event: aPrompt('kept') }], CADENCE)
  await current[Symbol.asyncDispose]()

  const options = { file, backupDir, migrations: earlier }
  await expect(openSqliteEngine(options)).rejects.toMatchObject({ code: 'store-too-new' })
  expect(readdirSync(backupDir)).toEqual(['before-0023-eszett-terms.db'])
  const replaced = createSqlStore(await openSqliteEngine({ ...options, setsAsideLater: true }))
  expect(await replaced.lastSeq()).toBe(0)
  expect(await replaced.verify()).toEqual([])
  await replaced[Symbol.asyncDispose]()

  // The later version is given its database again.
  const set = readdirSync(backupDir).filter((name) => name.startsWith('later-1.db'))
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  for (const name of set) renameSync(join(backupDir, name), name.replace('later-1.db', file))
  await using store = await openSqliteStore({ file, backupDir })
  expect(await store.lastSeq()).toBe(1)
  expect(await store.verify()).toEqual([])
})
