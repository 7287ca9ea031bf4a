import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  aCheckpoint,
  aMemory,
  anEnd,
  aPlace,
  aPrompt,
  aRule,
  aStart,
  CADENCE,
  idOf,
} from '../../../test/contracts/store-examples.ts'
import { rememberingLog } from '../../../test/support/recording-log.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { SHAPED_TABLES } from '../rows/row-integrity.ts'
import { openDatabase } from './connection/driver.ts'
import { openSqliteStore } from './engine.ts'

const PROJECT = aPlace().projectId

let folder = ''
let file = ''
let quarantineDir = ''
let log = rememberingLog()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-row-'))
  file = join(folder, 'holdfast.db')
  quarantineDir = join(folder, 'quarantine')
  log = rememberingLog()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => openSqliteStore({ file, quarantineDir, log })
const troubleOf = () => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)

/** Two sessions, two memories; then the closed file is damaged. */
async function damagedBy(sql: string): Promise<{ readonly store: Store; readonly before: readonly Session[] }> {
  const filling = await open()
  for (const name of ['a', 'b']) {
    const events = [aStart(name), aPrompt(name), anEnd(name)]
    await filling.append(
      events.map((event) => ({ event, location: aPlace() })),
      CADENCE,
    )
    await filling.saveCheckpoint(aCheckpoint(name, { eventSeq: 3 }))
    await filling.saveMemory(aMemory(`memory of ${name}`, { tags: ['one', 'two'] }))
  }
  const before = await filling.listSessions({ limit: 10 })
  await filling[Symbol.asyncDispose]()
  const database = openDatabase(file)
  database.exec('pragma ignore_check_constraints = on')
  database.exec(sql)
  database.close()
  return { store: await open(), before }
}

test('every table is checked for damage: covered by a hash, rebuilt from others, or of a known shape', async () => {
  await (await open())[Symbol.asyncDispose]()
  const database = openDatabase(file, { readOnly: true })
  const names = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !/^(?:memory|work|archive)_terms/.test(name))
  database.close()
  const hashed = ['events', 'session_checkpoints', 'receipts', 'memory_drafts', 'tombstones']
  const others = [
    ...hashed,
    'sessions',
    'log_head',
    'checkpoint_counts',
    'schema_migrations',
    'work_items',
    'store_owner',
    'archive_state',
    'archive_items',
  ]
  expect(new Set(names)).toEqual(new Set([...others, ...SHAPED_TABLES]))
})

describe('a damaged row', () => {
  test.each([
    ['is not JSON', `body = replace(body, '"phase"', '"phase')`],
    ['is not a session', `body = '{}'`],
    ['is not text', `body = cast(body as blob)`],
    ['has an unknown phase', `body = replace(body, '"ended"', '"endfd"')`],
    ['belongs to another session', `body = replace(body, 'key-a', 'key-c')`],
    ['contradicts itself', `last_event_seq = 2`],
  ])('a session that %s is rebuilt from its events and logged once', async (_, change) => {
    const { store, before } = await damagedBy(`update sessions set ${change} where id = '${idOf('a')}'`)
    const idsOf = (sessions: readonly Session[]) => new Set(sessions.map(({ id }) => id))
    expect(idsOf(await store.listSessions({ limit: 10 }))).toEqual(idsOf(before))
    expect(await store.findSession(idOf('a'))).toMatchObject({ phase: 'ended', promptCount: 1, place: aPlace() })
    expect(await store.verify()).toEqual([{ what: 'row', detail: `Row ${idOf('a')} of sessions is damaged.` }])
    expect(troubleOf()).toEqual([{ table: 'sessions', key: idOf('a') }])
    const [appended] = await store.append([{ event: aPrompt('a'), location: aPlace() }], CADENCE)
    expect(appended?.session).toMatchObject({ phase: 'working', promptCount: 2 })
    expect(await store.verify()).toEqual([])
    await store[Symbol.asyncDispose]()
  })

  test('a memory with damaged tags is returned without them', async () => {
    const { store } = await damagedBy(`update memories set tags = '["one' where content = 'memory of a'`)
    await using _ = store
    expect(
      (await store.listMemories({ projectId: PROJECT, limit: 5 })).map(({ content, tags }) => [content, tags]),
    ).toEqual([
      ['memory of b', ['one', 'two']],
      ['memory of a', []],
    ])
    expect((await store.verify()).map(({ what }) => what)).toEqual(['row'])
  })

  test('a memory that is not text any more is skipped and reported, and the others are found', async () => {
    const { store } = await damagedBy(`update memories set content = x'00ff' where content = 'memory of a'`)
    await using _ = store
    const contents = (memories: readonly { content: string }[]) => memories.map(({ content }) => content)
    expect(contents(await store.listMemories({ projectId: PROJECT, limit: 5 }))).toEqual(['memory of b'])
    const hits = await store.searchMemories({ projectId: PROJECT, text: 'memory', limit: 5 })
    expect(contents(hits.map(({ memory }) => memory))).toEqual(['memory of b'])
    expect(troubleOf()).toHaveLength(1)
    expect((await store.verify()).map(({ what }) => what)).toEqual(['row'])
  })

  test('a rule that is not text any more is skipped and reported, and the others bind', async () => {
    await using filling = await open()
    await filling.saveRules([aRule('Never push to main.'), aRule('Use tabs.')])
    const { store } = await damagedBy(`update rules set text = x'00ff' where text = 'Use tabs.'`)
    await using _ = store
    const rules = await store.listRules({ projectId: PROJECT })
    expect(rules.map(({ text }) => text)).toEqual(['Never push to main.'])
    expect(troubleOf()).toHaveLength(1)
    expect((await store.verify()).map(({ what }) => what)).toEqual(['row'])
  })

  test.each([
    ['before the last event', 'update log_head set seq = 2'],
    ['nowhere', 'delete from log_head'],
    ['at a number larger than any', 'update log_head set seq = 9007199254740999'],
  ])('a log that says it ends %s goes on after its last event', async (_, sql) => {
    const { store } = await damagedBy(sql)
    await using _store = store
    const [appended] = await store.append([{ event: aPrompt('a'), location: aPlace() }], CADENCE)
    expect(appended?.seq).toBe(7)
    expect(await store.verify()).toEqual([])
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
  })

  test.each([
    ['an option of the search index', 'tokenize', 'tokenizu'],
    ['the name of a column', '"prev_hash"', '"prev_hasi"'],
  ])('a schema in which %s is misspelt is rebuilt, with everything', async (_, right, wrong) => {
    await (await damagedBy('select 1')).store[Symbol.asyncDispose]()
    const bytes = readFileSync(file)
    const at = bytes.indexOf(right)
    expect(at).toBeGreaterThan(0)
    bytes.write(wrong, at)
    rmSync(file)
    writeFileSync(file, bytes)
    await using store = await open()
    expect(await store.searchMemories({ projectId: PROJECT, text: 'memory', limit: 5 })).toHaveLength(2)
    expect(await store.listEvents({ limit: 10 })).toHaveLength(6)
    const [appended] = await store.append([{ event: aPrompt('a'), location: aPlace() }], CADENCE)
    expect(appended?.seq).toBe(7)
    expect(await store.verify()).toEqual([])
  })

  test('a damaged migration name does not count as a later version', async () => {
    const { store } = await damagedBy(
      `update schema_migrations set name = '0006-acent-door' where name = '0006-agent-door'`, // wording-ok: the stored key
    )
    await using _ = store
    expect(await store.listEvents({ limit: 10 })).toHaveLength(6)
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
  })

  test('a number larger than any of ours loses at most its row', async () => {
    const { store } = await damagedBy(`update memories set hits = 9007199254740999 where content = 'memory of a'`)
    await using _ = store
    const memories = await store.listMemories({ projectId: PROJECT, limit: 5 })
    expect(memories.map(({ content }) => content)).toEqual(['memory of b'])
    expect(readdirSync(quarantineDir)).toContain('1-holdfast.db')
  })

  test('a log end that is damaged while in use blocks no write', async () => {
    await using store = await open()
    await store.append([{ event: aStart('a'), location: aPlace() }], CADENCE)
    await store.append([{ event: aPrompt('a'), location: aPlace() }], CADENCE)
    const database = openDatabase(file)
    database.exec('update log_head set seq = 0')
    database.close()
    const [appended] = await store.append([{ event: aPrompt('a'), location: aPlace() }], CADENCE)
    expect(appended?.seq).toBe(3)
    expect(await store.verify()).toEqual([])
  })
})
