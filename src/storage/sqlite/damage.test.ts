import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import type { StartOutcome } from '../../kernel/start-outcome.ts'
import { aReceipt } from '../../../test/contracts/store-contract-start-outcomes.ts'
import {
  aCheckpoint,
  aMemory,
  anEnd,
  aPlace,
  aPrompt,
  aStart,
  CADENCE,
  idOf,
} from '../../../test/contracts/store-examples.ts'
import { migrations } from '../migrations/index.ts'
import { closeConnection, openConnection } from './connection/connection.ts'
import { openDatabase } from './connection/driver.ts'
import { openSqliteStore } from './engine.ts'

const PAGE_BYTES = 4_096
const SESSIONS = 40
/** A time long after these tests. */
const AFTER_ALL = { now: '2027-03-01T09:00:00.000Z', retentionDays: 30 }

let folder = ''
let file = ''
let quarantineDir = ''
let logged: string[] = []
const keepLine = (message: string) => {
  logged.push(message)
}
const log: Log = { debug: keepLine, info: keepLine, warn: keepLine, error: keepLine }
const open = () => openSqliteStore({ file, quarantineDir, log })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-damage-'))
  file = join(folder, 'holdfast.db')
  quarantineDir = join(folder, 'quarantine')
  logged = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function fill(store: Store): Promise<void> {
  for (let index = 0; index < SESSIONS; index += 1) {
    const name = `s${index}`
    const place = aPlace()
    await store.append(
      [
        { event: aStart(name, { cwd: '/home/dev/a' }), location: place },
        { event: aPrompt(name, { prompt: 'x'.repeat(1_500) }), location: place },
        { event: anEnd(name), location: place },
      ],
      CADENCE,
    )
    await store.saveCheckpoint(aCheckpoint(name))
    await store.saveMemory(aMemory(`memory number${index} of the salvage ${'padding '.repeat(60)}`))
  }
}

function overwritePage(page: number, content: Buffer): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, content, 0, content.length, page * PAGE_BYTES)
  closeSync(descriptor)
}

async function filledAndClosed(): Promise<void> {
  const store = await open()
  await fill(store)
  await store[Symbol.asyncDispose]()
}

describe('a damaged database', () => {
  test.each([
    ['is not a database at all', Buffer.from('this was never a database '.repeat(400))],
    ['is full of zeros', Buffer.alloc(20_000)],
    ['was cut in the middle of its first page', Buffer.from('SQLite format 3\0')],
  ])('that %s is set aside whole, and an empty one works in its place', async (_, bytes) => {
    writeFileSync(file, bytes)
    await using store = await open()
    expect(await store.counts()).toEqual({ events: 0, sessions: 0, checkpoints: 0, memories: 0 })
    await store.append([{ event: aPrompt('a') }], CADENCE)
    expect(await store.lastSeq()).toBe(1)
    expect(readFileSync(join(quarantineDir, '1-holdfast.db')).equals(bytes)).toBe(true)
    expect(logged).toContain('The database was damaged. It was quarantined, and what could be read was saved.')
  })

  test('whose rows are older than a column gives them back from its pages', async () => {
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0009'))
    const old = await openConnection({ file, migrations: before })
    old.database.exec(
      `insert into memories (id, project_id, type, content, importance, tags, source, created_at, hits)
       values ('memory-old', 'project-a', 'fact', 'from before', 5, '["old"]', 'cli', '2026-01-02T03:04:05.000Z', 0)`,
    )
    closeConnection(old)
    const migrated = await open()
    await migrated.saveMemory(aMemory('from after'))
    await migrated[Symbol.asyncDispose]()
    overwritePage(0, Buffer.alloc(PAGE_BYTES, 0xa5))
    await using store = await open()
    const contents = (await store.listMemories({ limit: 5 })).map(({ content, tags }) => [content, tags])
    expect(contents).toEqual([
      ['from after', []],
      ['from before', ['old']],
    ])
  })

  test('with one damaged page at a time returns nearly everything and always opens', async () => {
    await filledAndClosed()
    const sound = readFileSync(file)
    const pages = sound.length / PAGE_BYTES
    const ruin = Buffer.alloc(PAGE_BYTES, 0xa5)
    let quarantined = 0
    for (let page = 0; page < pages; page += page < 12 ? 1 : 5) {
      writeFileSync(file, sound)
      for (const part of ['-wal', '-shm', '.mark']) rmSync(`${file}${part}`, { force: true })
      overwritePage(page, ruin)
      const store = await open()
      // Reading everything hits the damage wherever it is; the store repairs itself meanwhile.
      await store.verify()
      const events = await store.listEvents({ limit: 1_000 })
      const { sessions, checkpoints, memories } = await store.counts()
      const [appended] = await store.append([{ event: aPrompt('after') }], CADENCE)
      expect(appended?.seq, `page ${page}`).toBe(SESSIONS * 3 + 1)
      expect(events.length, `events after page ${page}`).toBeGreaterThanOrEqual(SESSIONS * 3 - 6)
      for (const [what, count] of Object.entries({ sessions, checkpoints, memories })) {
        expect(count, `${what} after page ${page}`).toBeGreaterThanOrEqual(SESSIONS - 12)
      }
      await store[Symbol.asyncDispose]()
      quarantined = existsSync(quarantineDir)
        ? readdirSync(quarantineDir).filter((name) => name.endsWith('.db')).length
        : 0
    }
    expect(quarantined).toBeGreaterThan(5)
  }, 60_000)

  test('that lost sessions and its search index rebuilds them from events, checkpoints and memories', async () => {
    await filledAndClosed()
    const store = await open()
    const before = await store.findSession(idOf('s3'))
    await store[Symbol.asyncDispose]()
    const page = pageOf('sessions')
    overwritePage(page, Buffer.alloc(PAGE_BYTES, 0xa5))
    await using healed = await open()
    expect(await healed.findSession(idOf('s3'))).toMatchObject({
      id: before?.id,
      phase: 'ended',
      promptCount: 1,
      place: before?.place,
    })
    expect((await healed.counts()).sessions).toBe(SESSIONS)
    const hits = await healed.searchMemories({ projectId: aPlace().projectId, text: 'number7', limit: 3 })
    expect(hits[0]?.memory.content).toMatch(/^memory number7 of the salvage/)
  })

  test.each([
    ['a page of something else', () => pageOf('sessions')],
    ['its header', () => 0],
    ['the way to them', () => pageOf('receipts')],
  ])('gives back what followed each start, after losing %s', async (_, ruined) => {
    await filledAndClosed()
    const receipts = Array.from({ length: SESSIONS }, (_item, index) =>
      aReceipt(`s${index}`, { startSeq: index * 3 + 1, eventSeq: index * 3 + 3 }),
    )
    const before = await open()
    await before.saveStartOutcomes(receipts)
    await before[Symbol.asyncDispose]()
    overwritePage(ruined(), Buffer.alloc(PAGE_BYTES, 0xa5))
    await using healed = await open()
    await healed.listStartOutcomes({ limit: 100 })
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
    const byStart = (a: StartOutcome, b: StartOutcome) => a.startSeq - b.startSeq
    expect((await healed.listStartOutcomes({ limit: 100 })).toSorted(byStart)).toEqual(receipts)
  })

  test('that is found damaged while in use is repaired without losing the current call', async () => {
    await filledAndClosed()
    await using store = await open()
    overwritePage(leafPageWith('prompt-submitted'), Buffer.alloc(PAGE_BYTES, 0xa5))
    const events = await store.listEvents({ limit: 1_000 })
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
    expect(events.length).toBeGreaterThanOrEqual(SESSIONS * 3 - 6)
    expect(events.length).toBeLessThan(SESSIONS * 3)
    const [appended] = await store.append([{ event: aPrompt('after') }], CADENCE)
    expect(appended).toMatchObject({ seq: SESSIONS * 3 + 1, isNew: true })
    expect((await store.verify()).map(({ what }) => what)).toContain('event-gap')
  })

  test.each([
    ['a page of events', () => leafPageWith('prompt-submitted')],
    ['where the log ends', () => pageOf('log_head')],
  ])('whose log had been pruned begins where it began, after losing %s', async (_, ruined) => {
    await filledAndClosed()
    const before = await open()
    expect(await before.pruneEvents({ ...AFTER_ALL, sliceRows: 30 })).toBe(30)
    await before[Symbol.asyncDispose]()
    overwritePage(ruined(), Buffer.alloc(PAGE_BYTES, 0xa5))
    await using healed = await open()
    await healed.verify()
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
    const events = await healed.listEvents({ limit: 1_000 })
    expect(events[0]?.seq).toBe(31)
    expect(events.length).toBeGreaterThanOrEqual(SESSIONS * 3 - 30 - 6)
    const [appended] = await healed.append([{ event: aPrompt('after') }], CADENCE)
    expect(appended?.seq).toBe(SESSIONS * 3 + 1)
    const missing = SESSIONS * 3 - 30 - events.length
    expect(new Set((await healed.verify()).map(({ what }) => what))).toEqual(new Set(missing > 0 ? ['event-gap'] : []))
  })

  test('whose log was pruned completely reuses no number, even when the end of the log is lost', async () => {
    await filledAndClosed()
    const before = await open()
    expect(await before.pruneEvents({ ...AFTER_ALL, sliceRows: 1_000 })).toBe(SESSIONS * 3)
    await before[Symbol.asyncDispose]()
    overwritePage(pageOf('log_head'), Buffer.alloc(PAGE_BYTES, 0xa5))
    await using healed = await open()
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
    expect(await healed.lastSeq()).toBe(SESSIONS * 3)
    const [appended] = await healed.append([{ event: aPrompt('after') }], CADENCE)
    expect(appended?.seq).toBe(SESSIONS * 3 + 1)
    expect(await healed.verify()).toEqual([])
    expect((await healed.counts()).sessions).toBe(SESSIONS + 1)
  })

  test('from before pruning is salvaged too', async () => {
    const { '0005-log-anchor': _, ...older } = migrations
    closeConnection(await openConnection({ file, migrations: older }))
    const database = openDatabase(file)
    database.exec(`update log_head set seq = 7, hash = 'abc'`)
    database.close()
    overwritePage(pageOf('injections'), Buffer.alloc(PAGE_BYTES, 0xa5))
    await using healed = await open()
    await healed.listInjections({ limit: 1 })
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
    expect(await healed.lastSeq()).toBe(7)
  })

  test('a rebuild interrupted before its last step is finished at the next start', async () => {
    await filledAndClosed()
    renameSync(file, `${file}.rebuilt`)
    rmSync(`${file}-wal`, { force: true })
    rmSync(`${file}-shm`, { force: true })
    await using store = await open()
    expect((await store.counts()).events).toBe(SESSIONS * 3)
    expect(existsSync(`${file}.rebuilt`)).toBe(false)
  })

  test('a rebuild interrupted while the old database was moved away is finished without its old log', async () => {
    const filling = await open()
    await filling.append([{ event: aStart('before') }], CADENCE)
    const oldLog = readFileSync(`${file}-wal`)
    await fill(filling)
    await filling[Symbol.asyncDispose]()
    // A copy: the driver still has the file open and would not read the log.
    writeFileSync(`${file}.rebuilt`, readFileSync(file))
    for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true })
    writeFileSync(`${file}-wal`, oldLog)
    await using store = await open()
    expect([(await store.counts()).events, await store.verify()]).toEqual([SESSIONS * 3 + 1, []])
  })

  test('without a quarantine folder is an error', async () => {
    writeFileSync(file, 'this was never a database '.repeat(400))
    await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(statSync(file).size).toBe(26 * 400)
  })
})

/** The root page of a table, zero-based, from the schema. */
function pageOf(table: string): number {
  const database = openDatabase(file, { readOnly: true })
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)
  database.close()
  return Number(row?.rootpage) - 1
}

/** A page in the middle of a table's rows, zero-based. */
function leafPageWith(text: string): number {
  const bytes = readFileSync(file)
  const pages = Array.from({ length: bytes.length / PAGE_BYTES }, (_, page) => page).filter((page) => {
    const content = bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    return content[0] === 0x0d && content.includes(text)
  })
  return pages[Math.floor(pages.length / 2)] ?? 0
}
