import { expect, test } from 'vitest'
import {
  aBench,
  type Bench,
  endOf,
  FIRST,
  here,
  PROJECT,
  start,
  told,
  work,
} from '../../../test/support/continuity-bench.ts'
import { anEvent } from '../../../test/support/events.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** After a long silence a clock is believed at the second look. */
async function lookTwice({ continuity, world }: Bench): Promise<void> {
  await continuity.tick()
  world.time.advance(HOUR_MS)
  await continuity.tick()
}

test('events that are past their days go, and their session is still recovered from its checkpoints', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  world.time.advance(31 * DAY_MS)
  await lookTwice(bench)
  expect(await store.counts()).toEqual({ events: 0, sessions: 1, checkpoints: 1, memories: 0 })
  expect((await store.findWork(FIRST))?.state).toBe('')
  expect(await store.verify()).toEqual([])
  expect(await told(bench, start('session-1', 2, 'resume'))).toContain('keep blank lines')
})

test('what is done after the old events went is put into the next checkpoint', async () => {
  await using bench = await aBench()
  const { continuity, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  world.time.advance(31 * DAY_MS)
  await lookTwice(bench)
  await told(bench, start('session-1', 2, 'resume'))
  await continuity.record(anEvent('prompt-submitted', { ...here, at: world.time.now(), prompt: 'Now the printer.' }))
  const kept = await continuity.checkpoint(FIRST, 'explicit')
  expect(kept?.checkpoint.work.asks.map(({ text }) => text)).toEqual(['Now the printer.'])
  expect(await told(bench, start('session-1', 2, 'compact'))).toMatch(/Now the printer[^]*keep blank lines/)
})

test('all slices of what is too old go at one look, and what is young stays', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  const at = world.time.now()
  const old = Array.from({ length: 1_234 }, () => anEvent('tool-finished', { ...here, at }))
  await continuity.recordAll(old)
  await endOf(bench)
  world.time.advance(31 * DAY_MS)
  await told(bench, start('session-2', 2))
  await continuity.tick()
  expect((await store.listEvents({ limit: 10 })).map(({ seq }) => seq)).toEqual([1_236])
})

test('a session in use keeps its events, however old they are', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  await work(bench)
  world.time.advance(31 * DAY_MS)
  await continuity.record(anEvent('turn-ended', { ...here, at: world.time.now() }))
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ events: 5 })
})

test('a session that ended without its last checkpoint gets it before its events go', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  const at = world.time.now()
  const place = await continuity.locate(PROJECT)
  const events = [
    { ...start('session-1', 1), at },
    anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
    anEvent('session-ended', { ...here, at }),
  ]
  await store.append(
    events.map((event) => ({ event, place })),
    world.config.continuity,
  )
  world.time.advance(31 * DAY_MS)
  await lookTwice(bench)
  const kept = await store.listCheckpoints({ sessionId: FIRST, limit: 5 })
  expect(kept.map(({ checkpoint }) => [checkpoint.trigger, checkpoint.work.asks[0]?.text])).toEqual([
    ['session_end', 'Make the parser keep blank lines.'],
  ])
  expect(await store.counts()).toMatchObject({ events: 0 })
})

test('after a clock jump no event goes until a second look agrees', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.tick()
  world.time.jump(31 * DAY_MS)
  world.time.advance(HOUR_MS)
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ events: 5 })
  world.time.advance(HOUR_MS)
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ events: 0 })
})

test('a daemon that starts with a clock far from what it kept lets nothing go before a second look', async () => {
  await using bench = await aBench()
  const { continuity, store, world } = bench
  await work(bench)
  await endOf(bench)
  await continuity.drain()
  world.time.jump(10 * 365 * DAY_MS)
  await continuity.tick()
  world.time.jump(-10 * 365 * DAY_MS)
  world.time.advance(HOUR_MS)
  await continuity.tick()
  expect(await store.counts()).toMatchObject({ events: 5 })
})
