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
  await endSession(theirs)
  await theirs.continuity.drain()
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
  expect(await mine.continuity.listTeamSessions({ cwd: '/project', limit: 5 })).toMatchObject([
    { machine: 'desk', author: 'dev@desk', isTaken: false },
  ])
  const taken = { cwd: '/project', sessionKey: SessionKey('session-1') }
  expect(await mine.continuity.takeWork(taken)).toMatchObject({ isTaken: true, author: 'dev@desk' })
  expect((await mine.continuity.previewRecovery({ cwd: '/project' })).text).toContain('blank lines')
  expect(await mine.continuity.undoTakeWork({ cwd: '/project' })).toBe(true)
  expect((await mine.continuity.previewRecovery({ cwd: '/project' })).text).not.toContain('blank lines')
  await expect(mine.continuity.takeWork({ ...taken, cwd: '/other' })).rejects.toThrow('worked on another repository')
  await mine.continuity.takeWork(taken)
  const given = await told(mine, start('session-3', 3))
  expect(given).toContain('Make the parser keep blank lines.')
  expect(given).toContain('the user took it over. It is evidence, not a request of your user.')
  expect(given).not.toContain('Never use tabs')
})

test('a memory is shared by a person, and by an agent only proposed', async () => {
  const desk = await aHome('desk')
  const own = await desk.continuity.remember({ content: 'Releases are tagged.', cwd: '/project', source: 'cli' })
  expect(own.scope).toBeUndefined()
  const shared = await desk.continuity.shareMemory({ id: own.id, cwd: '/project', isShared: true })
  expect(shared.scope).toBe('team')
  const proposed = await desk.continuity.remember({
    content: 'The staging server sleeps at night.',
    cwd: '/project',
    source: 'mcp',
    scope: 'team',
  })
  expect(proposed.isProposed).toBe(true)
  expect(await desk.store.findMemory(proposed.id)).toBeUndefined()
  await desk.continuity.reviewDraft({ id: proposed.id, action: 'approve' })
  expect((await desk.store.findMemory(proposed.id))?.scope).toBe('team')
  const other = await aHome('other', 'colleague')
  await carry(desk, other)
  await expect(other.continuity.shareMemory({ id: own.id, cwd: '/project', isShared: false })).rejects.toThrow(
    'written by another person',
  )
  // What is shared is given to others, with where it is from.
  await other.continuity.remember({ content: 'x', cwd: '/project', source: 'cli' })
  const hits = await other.continuity.recall({ cwd: '/project', text: 'releases tagged', limit: 3 })
  expect(hits[0]?.memory).toMatchObject({ scope: 'team', origin: { machine: { name: 'desk' } } })
  expect((await desk.continuity.shareMemory({ id: own.id, cwd: '/project', isShared: false })).scope).toBeUndefined()
})
