import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../src/storage/open-store.ts'
import { openConnection, closeConnection } from '../../src/storage/sqlite/connection/connection.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import { bundleStoreWorker, PROJECT_ROOT, type StoreWorkerBundle } from './store-worker-bundle.ts'
import { aMemory, aPrompt, CADENCE } from './store-examples.ts'

/** The shipped thread, which also dies on the spot when it is asked for a backup to `crash`. */
const CRASHING_WORKER = `
import { parentPort } from 'node:worker_threads'
parentPort.on('message', (message) => {
  if (message.method === 'backup' && message.args[0] === 'crash') process.exit(7)
})
await import('./worker.mjs')
`

describe('the store thread', () => {
  let bundle: StoreWorkerBundle
  let crashing = ''
  let home = ''
  beforeAll(async () => {
    bundle = await bundleStoreWorker(PROJECT_ROOT)
    crashing = join(dirname(bundle.file), 'crashing-worker.mjs')
    writeFileSync(crashing, CRASHING_WORKER)
  })
  afterAll(() => bundle[Symbol.dispose]())
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-thread-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const open = (workerFile: string) =>
    openStore({
      url: 'sqlite:',
      sqliteFile: join(home, 'holdfast.db'),
      workerFile,
      backupDir: join(home, 'backups'),
      quarantineDir: join(home, 'quarantine'),
    })

  test('errors keep their code and hint across it', async () => {
    await using store = await open(bundle.file)
    const older = aMemory('one')
    await store.saveMemory(older)
    await store.saveMemory(aMemory('two', { id: older.id, supersedes: older.id }))
    const newer = aMemory('two', { supersedes: older.id })
    await store.saveMemory(newer)
    await expect(store.saveMemory(aMemory('three', { supersedes: older.id }))).rejects.toMatchObject({
      name: 'HoldfastError',
      code: 'conflict',
      hint: `Supersede ${newer.id} instead.`,
    })
  })

  test('a call under way when it dies is refused, and the next one finds it alive with everything kept', async () => {
    await using store = await open(crashing)
    await store.append([{ event: aPrompt('a') }], CADENCE)
    const dying = store.backup('crash')
    await expect(dying).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(await store.lastSeq()).toBe(1)
    await store.append([{ event: aPrompt('a') }], CADENCE)
    expect(await store.lastSeq()).toBe(2)
    await expect(store.backup('crash')).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(await store.lastSeq()).toBe(2)
  })

  test('a value that cannot cross is refused without hurting the others', async () => {
    await using store = await open(bundle.file)
    const event = aPrompt('a')
    Object.defineProperty(event, 'prompt', { enumerable: true, value: () => 'a function' })
    await expect(store.append([{ event }], CADENCE)).rejects.toThrow(/could not be cloned/)
    expect(await store.lastSeq()).toBe(0)
  })

  test('a store that cannot be opened says why at once', async () => {
    const later = await openConnection({
      file: join(home, 'holdfast.db'),
      migrations: { ...migrations, '0099-later': async () => undefined },
    })
    closeConnection(later)
    await expect(open(bundle.file)).rejects.toMatchObject({ code: 'store-too-new', hint: expect.any(String) })
  })

  test('a program that does not start says so', async () => {
    await expect(open(join(home, 'no-such-worker.mjs'))).rejects.toMatchObject({ code: 'store-unavailable' })
  })

  test('after it is closed calls are refused', async () => {
    const store = await open(bundle.file)
    await store[Symbol.asyncDispose]()
    await expect(store.lastSeq()).rejects.toMatchObject({ code: 'store-unavailable' })
  })
})

test.each(['mysql://user:secret@host/db', 'holdfast.db', ''])(
  'the URL %j is refused without repeating its password',
  async (url) => {
    const opening = openStore({ url, sqliteFile: '', backupDir: '', quarantineDir: '' })
    await expect(opening).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.not.stringContaining('secret'),
    })
  },
)
