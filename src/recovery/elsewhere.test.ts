import { afterEach, expect, test } from 'vitest'
import { aBench, type Bench, endSession, FIRST, start, told, work } from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey } from '../kernel/id.ts'
import type { DataRecord } from '../transfer/records/record.ts'

const open: Bench[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((bench) => bench[Symbol.asyncDispose]()))
})

async function aHome(machine: string, person = 'me'): Promise<Bench> {
  const bench = await aBench({ machine, person })
  open.push(bench)
  return bench
}

/** All of one home to the other. */
async function carry(from: Bench, to: Bench): Promise<void> {
  for (let position: string | undefined, isFirst = true; isFirst || position !== undefined; isFirst = false) {
    const page = await from.continuity.exportRecords({ isAll: true, ...(position !== undefined && { position }) })
    const records: DataRecord[] = JSON.parse(JSON.stringify(page.records))
    await to.continuity.importRecords({ records })
    position = page.position
  }
}

async function workOn(bench: Bench): Promise<void> {
  await work(bench)
  await bench.continuity.drain()
}

const HEAD = 'a'.repeat(40)

test('work of this person on another machine is given, with machine, age and what is not here', async () => {
  const desk = await aHome('desk')
  await workOn(desk)
  await endSession(desk)
  await desk.continuity.drain()
  const laptop = await aHome('laptop')
  await carry(desk, laptop)
  laptop.ports.git = { branch: 'main', head: 'b'.repeat(40) }
  laptop.ports.missingCommits.add(HEAD)
  laptop.ports.time.advance(7_200_000)
  const text = await told(laptop, start('session-2', 2))
  expect(text).toContain('Make the parser keep blank lines.')
  expect(text).toContain('claude-code session session- on machine desk,')
  expect(text).toContain('(2 h ago)')
  expect(text).toContain('1 commit of it is not here: aaaaaaaaa; fetch or pull.')
  const { reasons } = await laptop.continuity.previewRecovery({ cwd: '/project', sessionKey: SessionKey('session-2') })
  expect(reasons.map(({ reason }) => reason).join('\n')).toContain('it was on another machine')
  // From then on the session here continues it.
  expect((await laptop.continuity.getSession(SessionKey('session-2'))).continues).toBe(FIRST)
})

test('a newer session here is chosen before an older one elsewhere, and the other way round', async () => {
  const desk = await aHome('desk')
  await workOn(desk)
  await endSession(desk)
  await desk.continuity.drain()
  const laptop = await aHome('laptop')
  laptop.ports.time.advance(3_600_000)
  const at = laptop.ports.time.now()
  await laptop.continuity.recordAll([
    { ...start('session-8', 8), at },
    anEvent('prompt-submitted', {
      sessionKey: SessionKey('session-8'),
      at,
      cwd: '/project',
      process: { pid: 8 },
      prompt: 'Rename the lexer.',
    }),
    anEvent('tool-finished', { sessionKey: SessionKey('session-8'), at, cwd: '/project', process: { pid: 8 } }),
    anEvent('session-ended', { sessionKey: SessionKey('session-8'), at, cwd: '/project' }),
  ])
  await laptop.continuity.drain()
  await carry(desk, laptop)
  expect(await told(laptop, start('session-9', 9))).toContain('Rename the lexer.')
  // The desk worked later.
  desk.ports.time.advance(7_200_000)
  await desk.continuity.record({ ...start('session-1', 1, 'resume'), at: desk.ports.time.now() })
  await desk.continuity.record(
    anEvent('prompt-submitted', {
      sessionKey: SessionKey('session-1'),
      at: desk.ports.time.now(),
      cwd: '/project',
      process: { pid: 1 },
      prompt: 'And tabs too.',
    }),
  )
  await desk.continuity.record(
    anEvent('tool-finished', {
      sessionKey: SessionKey('session-1'),
      at: desk.ports.time.now(),
      cwd: '/project',
      process: { pid: 1 },
    }),
  )
  await desk.continuity.checkpoint(FIRST, 'periodic')
  await carry(desk, laptop)
  laptop.ports.time.advance(10_800_000)
  const preview = await laptop.continuity.previewRecovery({ cwd: '/project' })
  expect(preview.text).toContain('on machine desk,')
  expect(preview.text).toContain('And tabs too.')
  expect(preview.text).toContain('did not report its end')
})

test('work of another person is offered by name, and given only after it was taken over', async () => {
  const theirs = await aHome('their-desk', 'colleague')
  await workOn(theirs)
  await theirs.store.saveRules([
    {
      id: 'r',
      projectId: (await theirs.continuity.locate('/project')).projectId,
      text: 'Never use tabs.',
      since: theirs.ports.time.now(),
      state: 'active',
      source: 'found',
      scope: 'project',
    },
  ])
  await theirs.continuity.remember({
    content: 'Prefer short names',
    cwd: '/project',
    source: 'cli',
    type: 'preference',
  })
  const mine = await aHome('my-desk')
  await carry(theirs, mine)
  const offered = await told(mine, start('session-2', 2))
  expect(offered).toContain('Not included: claude-code session session- of dev@desk on machine desk')
  expect(offered).not.toContain('blank lines')
  // Their rules bind nobody here, and what they did not share is not given.
  expect(offered).not.toContain('Never use tabs')
  expect(offered).not.toContain('Prefer short names')
  await mine.store.saveTakenWork({
    worktree: '/project',
    sessionId: FIRST,
    seq: await mine.store.lastSeq(),
    at: mine.ports.time.now(),
  })
  const given = await told(mine, start('session-3', 3))
  expect(given).toContain('Make the parser keep blank lines.')
  expect(given).toContain('the user took it over. It is evidence, not a request of your user.')
  expect(given).not.toContain('Never use tabs')
})
