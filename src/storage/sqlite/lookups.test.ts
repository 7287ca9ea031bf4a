import { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { aPlace, idOf, keyOf, START } from '../../../test/contracts/store-examples.ts'
import type { Store } from '../../kernel/ports/ports.ts'
import { NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import type { Tables } from '../rows/schema.ts'
import { createSqlStore } from '../queries/sql-store.ts'
import { openConnection, type SqliteConnection } from './connection/connection.ts'
import { kyselyDialect } from './connection/dialect.ts'
import { ARCHIVE_INDEX, MEMORY_INDEX, WORK_INDEX } from './connection/dialect.ts'

const { projectId, worktree } = aPlace()
const since = START

/** The query plan of every select that the store makes. */
async function plansOf({ database, db }: SqliteConnection, use: (store: Store) => Promise<unknown>) {
  const selects = new Set<string>()
  const watched = {
    ...database,
    isTransaction: false,
    exec: (text: string) => database.exec(text),
    close: () => undefined,
    prepare: (text: string) => {
      if (text.startsWith('select')) selects.add(text)
      return database.prepare(text)
    },
  }
  const watching = new Kysely<Tables>({ dialect: kyselyDialect(watched) })
  await use(
    createSqlStore({
      memoryIndex: MEMORY_INDEX,
      workIndex: WORK_INDEX,
      archiveIndex: ARCHIVE_INDEX,
      embeddings: NO_EMBEDDINGS,
      hasRowLocks: false,
      serverNow: async () => undefined,
      describe: async () => '',
      read: (query) => query(watching),
      write: (change) => change(watching),
      check: async () => [],
      scrub: async () => 0,
      backup: async () => undefined,
      close: () => db.destroy(),
    }),
  )
  return [...selects].flatMap((text) =>
    database
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
}

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['the newest checkpoint of a project', (store) => store.listCheckpoints({ projectId, limit: 1 })],
  ['the newest of a project since a time', (store) => store.listCheckpoints({ projectId, since, limit: 1 })],
  ['the newest by a path, spelled either way', (store) => store.listCheckpoints({ project: '/p', limit: 1 })],
  [
    'the newest of a worktree and branch',
    (store) => store.listCheckpoints({ worktree, branch: 'main', since, limit: 1 }),
  ],
  ['the newest of a worktree', (store) => store.listCheckpoints({ worktree, excludeSessions: [idOf('a')], limit: 1 })],
  ['the newest of a session', (store) => store.listCheckpoints({ sessionId: idOf('a'), limit: 50 })],
  ['the newest of a session key', (store) => store.listCheckpoints({ sessionKey: keyOf('a'), limit: 50 })],
  ['a named checkpoint', (store) => store.listCheckpoints({ name: 'milestone', limit: 1 })],
  ['the events of a session', (store) => store.listEvents({ sessionId: idOf('a'), afterSeq: 5, limit: 9 })],
  ['the sessions of a worktree', (store) => store.listSessions({ worktree, limit: 9 })],
  ['live sessions', (store) => store.listSessions({ phases: ['idle', 'working'], limit: 9 })],
  [
    'what to prune',
    (store) => store.pruneCheckpoints({ now: START, retentionDays: 7, maxPerSession: 50, sliceRows: 9 }),
  ],
  ['which events to prune', (store) => store.pruneEvents({ now: START, retentionDays: 30, sliceRows: 9 })],
  ['what else goes with them', (store) => store.pruneLedgers({ now: START, retentionDays: 30, sliceRows: 9 })],
  ['memories', (store) => store.listMemories({ projectId, limit: 9 })],
  ['memories of a type', (store) => store.listMemories({ projectId, types: ['failed_approach'], limit: 9 })],
])('%s is found through an index, never by reading the table', async (_, use) => {
  const connection = await openConnection({ file: ':memory:' })
  const plans = await plansOf(connection, use)
  expect(plans).not.toEqual([])
  expect(
    plans.filter((plan) => !/^SEARCH .* USING (INDEX|COVERING INDEX|INTEGER PRIMARY KEY)|^USE TEMP/.test(plan)),
  ).toEqual([])
})

test('control: a query without an index is reported as a table scan', async () => {
  const connection = await openConnection({ file: ':memory:' })
  expect(await plansOf(connection, (store) => store.listSightings('nobody'))).not.toEqual([])
  const plans = await plansOf(connection, (store) => store.counts())
  expect(plans.some((plan) => plan.startsWith('SCAN'))).toBe(true)
})
