import { expect, test } from 'vitest'
import { createBackground } from '../process/background.ts'
import { createHookSightings } from './hook-sightings.ts'
import { fakeClock, memoryLog } from '../../../test/support/daemon-setup.ts'

test('the first call is noted at once, the following ones together', () => {
  const clock = fakeClock()
  const written: [string, number | undefined][] = []
  const due: (() => void)[] = []
  const sightings = createHookSightings({
    store: { recordSighting: async ({ hook, count }) => void written.push([hook, count]) },
    background: createBackground(memoryLog()),
    clock,
    timers: {
      after(_ms, run) {
        due.push(run)
        return () => undefined
      },
    },
  })
  const see = (hook: string) => sightings.note({ harness: 'h', harnessVersion: '1', hook, at: clock.now() })
  see('A')
  see('B')
  for (let n = 0; n < 100; n += 1) see('A')
  expect(written).toEqual([
    ['A', 1],
    ['B', 1],
  ])
  clock.advance(5_000)
  for (const run of due) run()
  expect(written.slice(2)).toEqual([['A', 100]])
  see('A')
  sightings.flush()
  sightings.flush()
  expect(written.slice(3)).toEqual([['A', 1]])
})
