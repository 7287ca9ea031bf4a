import { expect, test } from 'vitest'
import {
  aBench,
  type Bench,
  endSession,
  FIRST,
  PROJECT,
  start,
  told,
  work,
} from '../../test/support/continuity-setup.ts'

const PARSER = `${PROJECT}/src/parser.ts`
const MINUTE_MS = 60_000

/** The agent dies; a minute later somebody writes to its file and goes to another branch. */
async function diedAndChanged({ ports }: Bench): Promise<void> {
  ports.writtenAt.set(PARSER, ports.time.now())
  ports.dead.add(1)
  ports.time.advance(MINUTE_MS)
  ports.files.set(PARSER, 'changed by somebody else')
  ports.writtenAt.set(PARSER, ports.time.now())
  ports.git = { branch: 'other', head: 'b'.repeat(40) }
  ports.time.advance(MINUTE_MS)
}

test('a change after an agent was killed is not stored as its work', async () => {
  await using bench = await aBench()
  bench.ports.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await diedAndChanged(bench)
  const text = await told(bench, start('session-2', 2))
  expect(text).toContain(`on main@aaaaaaaaa (now other@bbbbbbbbb)`)
  expect(text).toContain('changed src/parser.ts\n')
  const [stored] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  expect(stored?.checkpoint).toMatchObject({ trigger: 'interrupted', place: { branch: 'main', head: 'a'.repeat(40) } })
  expect(stored?.checkpoint.workEndedAt).toBe('2026-01-02T03:00:00.000Z')
  expect(stored?.checkpoint.work.files.map(({ contentHash }) => contentHash)).toEqual([undefined])
})

test('being resumed does not make it so either', async () => {
  await using bench = await aBench()
  bench.ports.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await diedAndChanged(bench)
  expect(await told(bench, start('session-1', 2, 'resume'))).toContain('changed src/parser.ts\n')
})

test('what nobody touched since holds, however late its checkpoint is made', async () => {
  await using bench = await aBench()
  bench.ports.files.set(PARSER, 'as the agent left it')
  await work(bench)
  bench.ports.writtenAt.set(PARSER, bench.ports.time.now())
  bench.ports.dead.add(1)
  bench.ports.time.advance(MINUTE_MS)
  expect(await told(bench, start('session-2', 2))).toContain('changed src/parser.ts\n')
})

test('a checkpoint that is made in time has the branch and the files of that time', async () => {
  await using bench = await aBench()
  bench.ports.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await endSession(bench)
  await bench.continuity.drain()
  bench.ports.files.set(PARSER, 'changed by somebody else')
  const [stored] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  expect(stored?.checkpoint.workEndedAt).toBeUndefined()
  expect(await told(bench, start('session-2', 2))).toContain('src/parser.ts (changed since)')
})
