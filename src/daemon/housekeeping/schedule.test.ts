import { expect, test } from 'vitest'
import { createSchedule } from './housekeeping.ts'
import { fakeClock, memoryLog } from '../../../test/support/daemon-setup.ts'

test('each task runs at its own pace, and a failing one does not stop the others', async () => {
  const clock = fakeClock()
  const log = memoryLog()
  const ran: string[] = []
  const schedule = createSchedule(
    [
      { name: 'broken', everyMs: 1_000, run: () => Promise.reject(new Error('no luck')) },
      { name: 'often', everyMs: 1_000, run: async () => void ran.push('often') },
      { name: 'rarely', everyMs: 3_000, run: async () => void ran.push('rarely') },
    ],
    clock,
    log,
  )
  for (let second = 0; second < 3; second += 1) {
    await schedule.tick()
    clock.advance(1_000)
  }
  await schedule.tick()
  expect(ran).toEqual(['often', 'often', 'often', 'rarely'])
  expect(log.lines).toHaveLength(3)
})

test('a round that takes long is not joined by a second one, and a stop waits for it', async () => {
  const clock = fakeClock()
  let running = 0
  let most = 0
  let finish: () => void = () => undefined
  const run = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    running -= 1
  }
  const schedule = createSchedule([{ name: 'slow', everyMs: 1, run }], clock, memoryLog())
  clock.advance(10)
  const first = schedule.tick()
  await schedule.tick()
  await schedule.tick()
  const stopped = schedule.stop()
  finish()
  await Promise.all([first, stopped])
  await schedule.tick()
  expect([most, running]).toEqual([1, 0])
})
