import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aPlace, aPrompt, aStart, CADENCE, idOf } from '../../../test/contracts/store-examples.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { migrations } from '../migrations/index.ts'
import { closeConnection, openConnection } from './connection/connection.ts'
import { openDatabase } from './connection/driver.ts'
import { openSqliteStore } from './engine.ts'

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-order-'))
  file = join(folder, 'holdfast.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function append(...events: readonly SessionEvent[]): Promise<void> {
  await using store = await openSqliteStore({ file })
  for (const event of events) await store.append([{ event, location: aPlace() }], CADENCE)
}

function rows(columns: string): readonly unknown[] {
  const database = openDatabase(file)
  const found = database.prepare(`select ${columns} from sessions order by id`).all()
  database.close()
  return found.map((row) => Object.values(row))
}

test('consecutive events keep the order of a session; an event of another session in between moves it', async () => {
  await append(aStart('a'), aPrompt('a'), aPrompt('a'))
  expect(rows('order_seq, last_event_seq')).toEqual([[2, 3]])
  await append(aStart('b'), aPrompt('a'), aPrompt('a'))
  expect(rows('order_seq, last_event_seq')).toEqual([
    [5, 6],
    [4, 4],
  ])
})

test('damaged lookup columns of a session are fixed by its next event', async () => {
  await append(aStart('a'), aPrompt('a'))
  const sound = rows('worktree, project_id, phase, pid')
  for (const damage of ["phase = 'ended'", "worktree = '/elsewhere'", 'project_id = null', 'pid = 7']) {
    const database = openDatabase(file)
    database.exec(`update sessions set ${damage}`)
    database.close()
    expect(rows('worktree, project_id, phase, pid')).not.toEqual(sound)
    await append(aPrompt('a'))
    expect(rows('worktree, project_id, phase, pid')).toEqual(sound)
  }
})

test('sessions from before `order_seq` keep their order', async () => {
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0011'))
  const old = await openConnection({ file, migrations: before })
  const insert = old.database.prepare(
    `insert into sessions (id, session_key, harness, phase, last_event_seq, body) values (?, ?, 'h', 'idle', ?, ?)`,
  )
  await using made = await openSqliteStore({ file: ':memory:' })
  for (const name of ['b', 'a', 'c']) await made.append([{ event: aStart(name) }], CADENCE)
  for (const name of ['a', 'b', 'c']) {
    const session = await made.findSession(idOf(name))
    insert.run(idOf(name), name, session?.lastEventSeq, JSON.stringify(session))
  }
  old.database.exec('update log_head set seq = 3')
  closeConnection(old)
  await using store = await openSqliteStore({ file })
  expect((await store.listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(['c', 'a', 'b'].map(idOf))
})
