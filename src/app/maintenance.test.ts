import { expect, test } from 'vitest'
import {
  aBench,
  type Bench,
  endSession,
  FIRST,
  here,
  PROJECT,
  start,
  told,
  work,
} from '../../test/support/continuity-setup.ts'
import { anEvent } from '../../test/support/events.ts'
import { ProjectId, SessionId, SessionKey } from '../kernel/id.ts'
import { createContinuity } from './create-continuity.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The daemon has watched its clock for long enough, and looks once more. */
async function lookTrusting({ continuity, ports }: Bench): Promise<void> {
  const seenAtMs = Date.parse(ports.time.now())
  ports.clockTrust = { trustedAtMs: seenAtMs, seenAtMs, observedMs: 13 * HOUR_MS, neededMs: HOUR_MS }
  await continuity.tick()
}

/** A daemon that runs and looks at its clock every now and then. */
async function runFor({ continuity, ports }: Bench, hours: number): Promise<void> {
  await continuity.tick()
  for (let quarter = 0; quarter < hours * 4; quarter += 1) {
    ports.time.advance(HOUR_MS / 4)
    await continuity.tick()
  }
}

/** Another life of the daemon on the same store. */
function restarted(bench: Bench): Bench {
  return { ...bench, continuity: createContinuity(bench.ports.deps(bench.store)) }
}

test('events that are past their days go, and their session is still recovered from its checkpoints', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  ports.time.advance(31 * DAY_MS)
  await lookTrusting(bench)
  expect(await store.counts()).toEqual({ events: 0, sessions: 1, checkpoints: 1, memories: 0 })
  expect((await store.findWork(FIRST))?.state).toBe('')
  expect(await store.verify()).toEqual([])
  expect(await told(bench, start('session-1', 2, 'resume'))).toContain('keep blank lines')
})

test('locations of projects that have nothing left go, and a project that has anything keeps its own', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  await work(bench)
  await endSession(bench)
  const { projectId } = await continuity.locate(PROJECT)
  const known = { machineId: 'desk', remotes: [], commits: [], lastSeenAt: ports.time.now() }
  await store.saveLocation({ ...known, location: PROJECT, projectId })
  await store.saveLocation({ ...known, location: '/gone', projectId: ProjectId('gone') })
  ports.time.jump(400 * DAY_MS)
  await continuity.tick()
  expect(await store.listLocations({})).toHaveLength(2)
  ports.time.jump(-369 * DAY_MS)
  await lookTrusting(restarted(bench))
  expect((await store.listLocations({})).map(({ location }) => location)).toEqual([PROJECT])
})

test('what is done after the old events went is put into the next checkpoint', async () => {
  await using bench = await aBench()
  const { continuity, ports } = bench
  await work(bench)
  await endSession(bench)
  await continuity.drain()
  ports.time.advance(31 * DAY_MS)
  await lookTrusting(bench)
  await told(bench, start('session-1', 2, 'resume'))
  await continuity.record(anEvent('prompt-submitted', { ...here, at: ports.time.now(), prompt: 'Now the printer.' }))
  const kept = await continuity.checkpoint(FIRST, 'explicit')
  expect(kept?.checkpoint.work.asks.map(({ text }) => text)).toEqual(['Now the printer.'])
  expect(await told(bench, start('session-1', 2, 'compact'))).toMatch(/Now the printer[^]*keep blank lines/)
})

test('all slices of what is too old go at one look, and what is young stays', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const at = ports.time.now()
  const old = Array.from({ length: 1_234 }, () => anEvent('tool-finished', { ...here, at }))
  await continuity.recordAll(old)
  await endSession(bench)
  ports.time.advance(31 * DAY_MS)
  await told(bench, start('session-2', 2))
  await lookTrusting(bench)
  expect((await store.listEvents({ limit: 10 })).map(({ seq }) => seq)).toEqual([1_236])
})

test('a session in use keeps its events, however old they are', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  await work(bench)
  ports.time.advance(31 * DAY_MS)
  await continuity.record(anEvent('turn-ended', { ...here, at: ports.time.now() }))
  await lookTrusting(bench)
  expect(await store.counts()).toMatchObject({ events: 5 })
})

test('a session that ended without its last checkpoint gets it before its events go', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const at = ports.time.now()
  const place = await continuity.locate(PROJECT)
  const events = [
    { ...start('session-1', 1), at },
    anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
    anEvent('session-ended', { ...here, at }),
  ]
  await store.append(
    events.map((event) => ({ event, location: place })),
    ports.config.continuity,
  )
  ports.time.advance(31 * DAY_MS)
  await lookTrusting(bench)
  const kept = await store.listCheckpoints({ sessionId: FIRST, limit: 5 })
  expect(kept.map(({ checkpoint }) => [checkpoint.trigger, checkpoint.work.asks[0]?.text])).toEqual([
    ['session_end', 'Make the parser keep blank lines.'],
  ])
  expect(await store.counts()).toMatchObject({ events: 0 })
})

test('at one look go no more than 2,000 rows or a tenth of what is there, and the rest an hour later', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const at = ports.time.now()
  const old = Array.from({ length: 2_500 }, () => anEvent('tool-finished', { ...here, at }))
  await continuity.recordAll(old)
  await endSession(bench)
  ports.time.advance(31 * DAY_MS)
  await lookTrusting(bench)
  expect(await store.counts()).toMatchObject({ events: 501 })
  await runFor(bench, 1)
  expect(await store.counts()).toMatchObject({ events: 0 })
})

test('a session that ended without its last checkpoint gets it at the first look, whatever the clock says', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  const at = ports.time.now()
  const place = await continuity.locate(PROJECT)
  const events = [
    { ...start('session-1', 1), at },
    anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
    anEvent('session-ended', { ...here, at }),
  ]
  await store.append(
    events.map((event) => ({ event, location: place })),
    ports.config.continuity,
  )
  ports.time.jump(400 * DAY_MS)
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ events: 3, checkpoints: 1 })
})

test('a session has no more checkpoints than it may, also while the clock is not trusted', async () => {
  await using bench = await aBench()
  const { continuity, store, ports } = bench
  ports.config = { ...ports.config, continuity: { ...ports.config.continuity, maxCheckpointsPerSession: 3 } }
  await work(bench)
  for (let index = 0; index < 6; index += 1) {
    await continuity.record(anEvent('prompt-submitted', { ...here, at: ports.time.now(), prompt: `Part ${index}.` }))
    await continuity.checkpoint(FIRST, 'periodic')
  }
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ checkpoints: 3 })
})

test('a daemon that a hook starts while the clock is far ahead deletes nothing, over days and restarts', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  await work(bench)
  await endSession(bench)
  await runFor(bench, 101)
  const before = await store.counts()
  ports.time.jump(400 * DAY_MS)
  for (let life = 0; life < 10; life += 1) {
    const next = restarted(bench)
    // What started the daemon bears the same wrong time, and is kept before the first look.
    await next.continuity.record({ ...start('session-2', 2), at: ports.time.now() })
    await runFor(next, 20)
    ports.time.advance(4 * HOUR_MS)
  }
  expect(await store.counts()).toMatchObject({ events: before.events + 10, checkpoints: before.checkpoints })
  ports.time.jump(-400 * DAY_MS)
  await runFor(restarted(bench), 30)
  expect(await store.counts()).toMatchObject({ events: before.events + 10, checkpoints: before.checkpoints })
})

test('a clock that was far behind for a while costs nothing that was kept then', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  await work(bench)
  await endSession(bench)
  await runFor(bench, 101)
  ports.time.jump(-400 * DAY_MS)
  const behind = restarted(bench)
  await told(behind, start('session-2', 2))
  await behind.continuity.record(
    anEvent('prompt-submitted', {
      ...here,
      sessionKey: SessionKey('session-2'),
      at: ports.time.now(),
      prompt: 'More.',
    }),
  )
  for (const trigger of ['periodic', 'agent'] as const)
    await behind.continuity.checkpoint(SessionId('claude-code/session-2'), trigger)
  await runFor(behind, 2)
  const [before, injections] = [await store.counts(), await store.listInjections({ limit: 99 })]
  ports.time.jump(400 * DAY_MS)
  await runFor(restarted(bench), 3)
  expect(await store.counts()).toEqual(before)
  expect(await store.listInjections({ limit: 99 })).toEqual(injections)
})

test('within an hour of a start nothing is deleted by age, however well the clock was known before', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  await work(bench)
  await endSession(bench)
  ports.time.advance(31 * DAY_MS)
  const seenAtMs = Date.parse(ports.time.now())
  ports.clockTrust = { trustedAtMs: seenAtMs, seenAtMs, observedMs: 2 * HOUR_MS, neededMs: HOUR_MS }
  const next = restarted(bench)
  await runFor(next, 0.75)
  expect(await store.counts()).toMatchObject({ events: 5 })
  await runFor(next, 0.5)
  expect(await store.counts()).toMatchObject({ events: 0 })
})

/** Daemons that each live for four minutes and are stopped in order. */
async function runShortLives(bench: Bench, lives: number, awayMs: number): Promise<void> {
  for (let life = 0; life < lives; life += 1) {
    const { continuity } = restarted(bench)
    await continuity.tick()
    for (let look = 0; look < 2; look += 1) {
      bench.ports.time.advance(100_000)
      await continuity.tick()
    }
    bench.ports.time.advance(40_000)
    continuity.noteClock()
    bench.ports.time.advance(awayMs)
  }
}

test('daemons that live for four minutes each add up what they watched, and what is past its days goes', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  await work(bench)
  await endSession(bench)
  await runFor(bench, 101)
  ports.time.advance(31 * DAY_MS)
  await runShortLives(bench, 15 * 31, HOUR_MS)
  expect(ports.clockTrust?.observedMs).toBeGreaterThanOrEqual(31 * HOUR_MS)
  expect(await store.counts()).toMatchObject({ events: 5 })
  await runShortLives(bench, 15 * 14, HOUR_MS)
  expect(await store.counts()).toMatchObject({ events: 0 })
})

test.each([400, -400])(
  'daemons that live for four minutes each delete nothing by a clock that is %i days off at their start',
  async (days) => {
    await using bench = await aBench()
    const { store, ports } = bench
    await work(bench)
    await endSession(bench)
    await runFor(bench, 101)
    const before = await store.counts()
    for (let episode = 0; episode < 3; episode += 1) {
      ports.time.jump(days * DAY_MS)
      await runShortLives(bench, 60, HOUR_MS)
      ports.time.jump(-days * DAY_MS)
      await runShortLives(bench, 20, HOUR_MS)
      expect(await store.counts()).toEqual(before)
    }
  },
)

test.each([400, -400])(
  'a clock that jumps by %i days before the stop is not trusted for what was watched',
  async (days) => {
    await using bench = await aBench()
    const { ports } = bench
    await runFor(bench, 101)
    const { continuity } = restarted(bench)
    await continuity.tick()
    const before = ports.clockTrust
    ports.time.advance(60_000)
    ports.time.jump(days * DAY_MS)
    continuity.noteClock()
    expect(ports.clockTrust?.observedMs).toBe(before?.observedMs)
    expect(ports.clockTrust?.neededMs).toBeGreaterThanOrEqual(399 * HOUR_MS)
  },
)

test('a daemon that never looked at its clock records nothing at its stop', async () => {
  await using bench = await aBench()
  restarted(bench).continuity.noteClock()
  expect(bench.ports.clockTrust).toBeUndefined()
})

test('a daemon that never runs for an hour deletes what is past its days all the same', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  await work(bench)
  await endSession(bench)
  await runFor(bench, 101)
  expect(await store.counts()).toMatchObject({ events: 5 })
  for (let day = 0; day < 60; day += 1) {
    await runFor(restarted(bench), 0.5)
    ports.time.advance(DAY_MS)
  }
  expect(await store.counts()).toMatchObject({ events: 0 })
})
