import { mkdirSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSpool } from '../../spool/spool.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { getConnector } from '../../harness/registry.ts'
import { systemClock } from '../../platform/base/clock.ts'
import type { Home } from '../../platform/base/home.ts'
import { createSpoolDrain } from './daemon-spool.ts'
import { fakeContinuityApp, memoryLog, temporaryHome } from '../../../test/support/daemon-setup.ts'

function entry(n: number, harness = 'claude-code') {
  const payload = { session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: '/p', prompt: `prompt ${n}` }
  return { id: `event-${n}`, at: '2026-01-01T00:00:00.000Z', harness, hook: 'UserPromptSubmit', payload }
}

function drainOf(home: Home, continuity: Pick<ReturnType<typeof fakeContinuityApp>, 'record' | 'readTranscript'>) {
  const log = memoryLog()
  mkdirSync(home.spoolDir, { recursive: true })
  const spool = createSpool({ home, log })
  const sightings = { note: () => undefined }
  return {
    spool,
    drain: createSpoolDrain({
      spool,
      spoolDir: home.spoolDir,
      continuity,
      sightings,
      getConnector,
      clock: systemClock,
      log,
    }),
  }
}

test('a poisonous entry is set aside and the ones behind it go on', async () => {
  await using place = temporaryHome()
  const engine = fakeContinuityApp()
  const { spool, drain } = drainOf(place.home, engine)
  spool.put(entry(1))
  spool.put(entry(2, 'nobody'))
  spool.put(entry(3))
  await drain.settled()
  expect(engine.recorded.map((event) => event.kind === 'prompt-submitted' && event.prompt)).toEqual([
    'prompt 1',
    'prompt 3',
  ])
  expect(readdirSync(place.home.deadSpoolDir)).toHaveLength(1)
  expect(drain.backlog).toBe(0)
})

test('while the store is away everything waits, and nothing is lost or set aside', async () => {
  await using place = temporaryHome()
  const engine = fakeContinuityApp()
  let isAway = true
  const { spool, drain } = drainOf(place.home, {
    ...engine,
    record: (event) => (isAway ? Promise.reject(new HoldfastError('store-unavailable', 'away')) : engine.record(event)),
  })
  for (let n = 1; n <= 5; n += 1) spool.put(entry(n))
  for (let round = 0; round < 5; round += 1) await drain.settled()
  expect([drain.backlog, engine.recorded.length]).toEqual([5, 0])
  isAway = false
  await drain.settled()
  expect([drain.backlog, engine.recorded.length]).toEqual([0, 5])
})

test('what is put after an empty look is found by the next one, however soon', async () => {
  await using place = temporaryHome()
  const engine = fakeContinuityApp()
  const { spool, drain } = drainOf(place.home, engine)
  for (let n = 1; n <= 30; n += 1) {
    await drain.settled()
    spool.put(entry(n))
    await drain.settled()
    expect(engine.recorded).toHaveLength(n)
  }
})
