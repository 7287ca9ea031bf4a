import { expect, test } from 'vitest'
import { aBench, type Bench, endOf, FIRST, PROJECT, start, told, work } from '../../test/support/continuity-bench.ts'

const PARSER = `${PROJECT}/src/parser.ts`
const MINUTE_MS = 60_000

/** The agent dies; a minute later somebody writes to its file and goes to another branch. */
async function diedAndChanged({ world }: Bench): Promise<void> {
  world.writtenAt.set(PARSER, world.time.now())
  world.dead.add(1)
  world.time.advance(MINUTE_MS)
  world.files.set(PARSER, 'changed by somebody else')
  world.writtenAt.set(PARSER, world.time.now())
  world.git = { branch: 'other', head: 'b'.repeat(40) }
  world.time.advance(MINUTE_MS)
}

test('what was changed after an agent was killed is not told as what it left', async () => {
  await using bench = await aBench()
  bench.world.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await diedAndChanged(bench)
  const text = await told(bench, start('session-2', 2))
  expect(text).toContain(`on main@aaaaaaaaa ~ now other@bbbbbbbbb`)
  expect(text).toContain('src/parser.ts ?')
  const [stored] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  expect(stored?.checkpoint).toMatchObject({ trigger: 'interrupted', place: { branch: 'main', head: 'a'.repeat(40) } })
  expect(stored?.checkpoint.workEndedAt).toBe('2026-01-02T03:00:00.000Z')
  expect(stored?.checkpoint.work.files.map(({ contentHash }) => contentHash)).toEqual([undefined])
})

test('being resumed does not make it so either', async () => {
  await using bench = await aBench()
  bench.world.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await diedAndChanged(bench)
  expect(await told(bench, start('session-1', 2, 'resume'))).toContain('src/parser.ts ?')
})

test('what nobody touched since holds, however late its checkpoint is made', async () => {
  await using bench = await aBench()
  bench.world.files.set(PARSER, 'as the agent left it')
  await work(bench)
  bench.world.writtenAt.set(PARSER, bench.world.time.now())
  bench.world.dead.add(1)
  bench.world.time.advance(MINUTE_MS)
  expect(await told(bench, start('session-2', 2))).toContain('src/parser.ts ✓')
})

test('a checkpoint that is made in time has the branch and the files of that time', async () => {
  await using bench = await aBench()
  bench.world.files.set(PARSER, 'as the agent left it')
  await work(bench)
  await endOf(bench)
  await bench.continuity.drain()
  bench.world.files.set(PARSER, 'changed by somebody else')
  const [stored] = await bench.store.listCheckpoints({ sessionId: FIRST, limit: 1 })
  expect(stored?.checkpoint.workEndedAt).toBeUndefined()
  expect(await told(bench, start('session-2', 2))).toContain('src/parser.ts ~')
})
