import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CheckpointId, type EventId, ProjectId } from '../../src/kernel/id.ts'
import type { Store } from '../../src/kernel/ports/ports.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import { openPostgresEngine } from '../../src/storage/postgres/engine.ts'
import { createSqlStore } from '../../src/storage/queries/sql-store.ts'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { openSqliteEngine } from '../../src/storage/sqlite/engine.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { addEszettRows, BEFORE_ESZETT, ESZETT_FOUND, findEszettRows } from './eszett-rows.ts'
import { type OpenedStore, storeContract } from './store-contract.ts'
import { aCheckpoint, anEnd, aPrompt, aStart, CADENCE, idOf } from './store-examples.ts'
import { bundleStoreWorker, PROJECT_ROOT, type StoreWorkerBundle } from './store-worker-bundle.ts'

describe('SQLite in memory', () => {
  storeContract(async () => {
    const engine = await openSqliteEngine({ file: ':memory:' })
    const store = createSqlStore(engine)
    return {
      store,
      tamper: async (statement) => {
        await engine.write((db) => sql.raw(statement).execute(db))
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  })
})

const KEPT_TABLES = [
  'events',
  'sessions',
  'session_checkpoints',
  'checkpoint_counts',
  'work_terms',
  'work_items',
  'memory_terms',
  'memories',
  'work_snapshots',
  'injections',
  'sightings',
  'project_keywords',
  'projects',
  'session_intents',
  'entities',
  'session_summaries',
  'session_phases',
  'checklist_records',
  'receipts',
  'project_locations',
  'rules',
]
const EMPTY_EVERYTHING = `${KEPT_TABLES.map((table) => `delete from ${table};`).join(' ')}
  update log_head set seq = 0, hash = '', anchor_seq = 0, anchor_hash = '';`

/** One store for a whole suite, emptied before each test: starting a thread or a database for each takes minutes. */
function emptied(opened: () => Omit<OpenedStore, typeof Symbol.asyncDispose>): () => Promise<OpenedStore> {
  return async () => {
    const { store, tamper } = opened()
    await tamper(EMPTY_EVERYTHING)
    return { store, tamper, [Symbol.asyncDispose]: async () => undefined }
  }
}

describe('SQLite in a file, through its thread', () => {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-store-'))
  const sqliteFile = join(home, 'data', 'holdfast.db')
  let bundle: StoreWorkerBundle
  let store: Store
  beforeAll(async () => {
    bundle = await bundleStoreWorker(PROJECT_ROOT)
    store = await openStore({
      url: 'sqlite:',
      sqliteFile,
      workerFile: bundle.file,
      backupDir: join(home, 'backups'),
      quarantineDir: join(home, 'quarantine'),
    })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    bundle[Symbol.dispose]()
    rmSync(home, { recursive: true, force: true })
  })
  const tamper = async (statements: string) => {
    const database = openDatabase(sqliteFile, { timeout: 5_000 })
    database.exec(statements)
    database.close()
  }
  storeContract(emptied(() => ({ store, tamper })))
})

describe('PostgreSQL', () => {
  let postgres: TestPostgres
  let url: string
  let store: Store
  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    store = await openStore({ url, sqliteFile: '', backupDir: '', quarantineDir: '' })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })
  const tamper = async (statements: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(statements)
    await client.end()
  }
  storeContract(emptied(() => ({ store, tamper })))

  test('commits are durable even where the server says otherwise', async () => {
    const lax = await postgres.createDatabase()
    const client = new Client({ connectionString: lax })
    await client.connect()
    await client.query(`alter database ${new URL(lax).pathname.slice(1)} set synchronous_commit = off`)
    await client.end()
    const engine = await openPostgresEngine({ url: lax })
    const { rows } = await engine.read((db) => sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db))
    await engine.close()
    expect(rows).toEqual([{ synchronous_commit: 'on' }])
  })

  test('a machine whose clock is years ahead deletes nothing that the server takes for young', async () => {
    const options = { url: await postgres.createDatabase(), sqliteFile: '', backupDir: '', quarantineDir: '' }
    const shared = await openStore(options)
    const at = new Date().toISOString()
    const session = (name: string) => [aStart(name, { at }), aPrompt(name, { at }), anEnd(name, { at })]
    await shared.append(
      [...session('a'), ...session('b')].map((event) => ({ event })),
      CADENCE,
    )
    for (const id of ['c1', 'c2'])
      await shared.saveCheckpoint(aCheckpoint('a', { id: CheckpointId(id), createdAt: at }))
    const told = { kind: 'memories', epoch: 1, chars: 1, textHash: '', sources: [], reasons: [] } as const
    await shared.recordInjection({ ...told, sessionId: idOf('a'), at })
    const aheadMs = Date.now() + 400 * 86_400_000
    const policy = { now: new Date(aheadMs).toISOString(), retentionDays: 30, maxPerSession: 50, sliceRows: 500 }
    const gone = [
      await shared.pruneCheckpoints(policy),
      await shared.pruneEvents(policy),
      await shared.pruneLedgers(policy),
    ]
    expect(gone).toEqual([0, 0, 0])
    expect(await shared.counts()).toMatchObject({ events: 6, checkpoints: 2 })
    await shared[Symbol.asyncDispose]()
  })

  test('two that open an empty database at once make one schema', async () => {
    const empty = await postgres.createDatabase()
    const options = { url: empty, sqliteFile: '', backupDir: '', quarantineDir: '' }
    const stores = await Promise.all([openStore(options), openStore(options), openStore(options)])
    const appended = await Promise.all(
      stores.map((one, index) => one.append([{ event: aPrompt(`s${index}`) }], CADENCE)),
    )
    expect(new Set(appended.flat().map(({ seq }) => seq))).toEqual(new Set([1, 2, 3]))
    for (const one of stores) await one[Symbol.asyncDispose]()
  })

  test('a server that dies under load and comes back costs time, and nothing that was acknowledged', async () => {
    const options = { url: await postgres.createDatabase(), sqliteFile: '', backupDir: '', quarantineDir: '' }
    const survivor = await openStore(options)
    const acknowledged: EventId[] = []
    const stopping = new AbortController()
    const writers = Array.from({ length: 4 }, async (_, index) => {
      while (!stopping.signal.aborted) {
        const event = aPrompt(`w${index}`)
        await survivor.append([{ event }], CADENCE)
        acknowledged.push(event.id)
      }
    })
    await setTimeout(100)
    const before = acknowledged.length
    await postgres.crashAndRestart()
    while (acknowledged.length < before + 20) await setTimeout(10)
    stopping.abort()
    await Promise.all(writers)
    expect(await survivor.knownEvents(acknowledged)).toEqual(acknowledged)
    expect(await survivor.lastSeq()).toBe(acknowledged.length)
    expect(await survivor.verify()).toEqual([])
    await survivor[Symbol.asyncDispose]()
  })

  test('the first person has it, from any home, and a second one is refused before anything is changed', async () => {
    const options = { url: await postgres.createDatabase(), sqliteFile: '', backupDir: '', quarantineDir: '' }
    const ada = { id: 'person-ada', name: 'ada@desk' }
    // Two that come at once: one of them has it.
    const racing = [ada, { id: 'person-bob', name: 'bob@laptop' }].map((owner) => openStore({ ...options, owner }))
    const outcomes = await Promise.allSettled(racing)
    const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(opened).toHaveLength(1)
    const refusal = outcomes.find((outcome) => outcome.status === 'rejected')?.reason
    expect(refusal).toMatchObject({
      code: 'store-not-yours',
      message: expect.stringMatching(/has belonged to (?:ada@desk|bob@laptop) since \d{4}-\d\d-\d\d/),
      hint: expect.stringContaining('store.person'),
    })
    const owner = outcomes[0]?.status === 'fulfilled' ? ada : { id: 'person-bob', name: 'bob@laptop' }
    const again = await openStore({ ...options, owner: { ...owner, name: 'another home' } })
    for (const store of [again, ...opened.map(({ value }) => value)]) await store[Symbol.asyncDispose]()
  })

  test('a store of the version before is upgraded in place by its owner, and a later one is refused unchanged', async () => {
    const options = { url: await postgres.createDatabase(), sqliteFile: '', backupDir: '', quarantineDir: '' }
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0016'))
    const owner = { id: 'person-ada', name: 'ada@desk' }
    const old = await openPostgresEngine({ url: options.url, migrations: before, owner })
    await old.write((db) =>
      sql`insert into memories (id, project_id, type, content, importance, tags, source, created_at, hits)
        values ('m-1', 'p', 'note', 'Use tabs', 5, '[]', 'cli', '2026-01-01T00:00:00.000Z', 0)`.execute(db),
    )
    await old.close()
    const upgraded = await openStore({ ...options, owner })
    const prompt = aPrompt('after')
    await upgraded.append([{ event: prompt }], CADENCE)
    expect(await upgraded.listMemories({ projectId: ProjectId('p'), limit: 9 })).toMatchObject([
      { id: 'm-1', content: 'Use tabs' },
    ])
    expect(await upgraded.verify()).toEqual([])
    await upgraded[Symbol.asyncDispose]()
    await expect(openPostgresEngine({ url: options.url, migrations: before })).rejects.toMatchObject({
      code: 'store-too-new',
      hint: expect.stringContaining('Install that version'),
    })
  })

  test('a store from before an eszett was two letters finds its texts by both spellings', async () => {
    const options = { url: await postgres.createDatabase(), sqliteFile: '', backupDir: '', quarantineDir: '' }
    const old = await openPostgresEngine({ url: options.url, migrations: BEFORE_ESZETT })
    await addEszettRows(old)
    await old.close()
    await using upgraded = await openStore(options)
    expect(await findEszettRows(upgraded)).toEqual(ESZETT_FOUND)
    expect(await upgraded.verify()).toEqual([])
  })

  test('copies are left to the tools of the server', async () => {
    await expect(store.backup('anywhere')).rejects.toMatchObject({
      code: 'unsupported',
      hint: expect.stringContaining('pg_dump'),
    })
  })
})
