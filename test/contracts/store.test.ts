import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { createSqlStore } from '../../src/storage/sql-store.ts'
import { openDatabase } from '../../src/storage/sqlite/driver.ts'
import { openSqliteEngine } from '../../src/storage/sqlite/engine.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type OpenedStore, storeContract } from './store-contract.ts'
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
  'memory_terms',
  'memories',
  'work_snapshots',
  'injections',
  'sightings',
]
const EMPTY_EVERYTHING = `${KEPT_TABLES.map((table) => `delete from ${table};`).join(' ')}
  update log_head set seq = 0, hash = '';`

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
})
