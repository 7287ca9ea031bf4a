import { expect, test } from 'vitest'
import { createIndexRefresh, type IndexRefreshDeps } from './index-refresh.ts'
import { fakeClock } from './test-support.ts'

const MINUTE_MS = 60_000

function aWorld(overrides: Partial<IndexRefreshDeps> = {}) {
  const clock = fakeClock()
  const refreshed: string[] = []
  const refresh = createIndexRefresh({
    roots: async () => ['/a', '/b'],
    refreshMsOf: async () => 10 * MINUTE_MS,
    hasPair: async () => true,
    refresh: async (root) => void refreshed.push(root),
    quietMs: () => MINUTE_MS,
    isMachineBusy: () => false,
    clock,
    ...overrides,
  })
  return {
    refreshed,
    refresh,
    async minutes(count: number) {
      for (let minute = 0; minute < count; minute += 1) {
        await refresh.run()
        clock.advance(MINUTE_MS)
      }
    },
  }
}

test('each pair is made anew once a period, one at a time, and first a period after it was seen', async () => {
  const world = aWorld()
  await world.minutes(10)
  expect(world.refreshed).toEqual([])
  await world.minutes(2)
  expect(world.refreshed).toEqual(['/a', '/b'])
  await world.minutes(10)
  expect(world.refreshed).toEqual(['/a', '/b', '/a', '/b'])
})

test.each<[string, Partial<IndexRefreshDeps>]>([
  ['without a pair', { hasPair: async () => false }],
  ['with a period of 0', { refreshMsOf: async () => 0 }],
  ['where nobody works', { roots: async () => [] }],
])('%s nothing is made', async (_name, overrides) => {
  const world = aWorld(overrides)
  await world.minutes(100)
  expect(world.refreshed).toEqual([])
})

test.each<[string, Partial<IndexRefreshDeps>]>([
  ['while the daemon is asked', { quietMs: () => 0 }],
  ['while the machine is busy', { isMachineBusy: () => true }],
])('%s it waits, and in the end not any longer', async (_name, overrides) => {
  const world = aWorld({ ...overrides, roots: async () => ['/a'] })
  await world.minutes(60)
  expect(world.refreshed).toEqual([])
  await world.minutes(1)
  expect(world.refreshed).toEqual(['/a'])
})

test('a second round does not join one under way, a failure waits for the next period, and a stop ends it', async () => {
  const signals: AbortSignal[] = []
  let fail: (error: Error) => void = () => undefined
  const world = aWorld({
    roots: async () => ['/a'],
    refresh: (_root, signal) => {
      signals.push(signal)
      return new Promise((_resolve, reject) => {
        fail = reject
      })
    },
  })
  await world.minutes(10)
  const under = world.refresh.run()
  await expect.poll(() => signals.length).toBe(1)
  await world.minutes(20)
  fail(new Error('no luck'))
  await expect(under).rejects.toThrow('no luck')
  await world.refresh.run().catch(() => undefined)
  expect(signals).toHaveLength(1)
  world.refresh.stop()
  expect(signals[0]?.aborted).toBe(true)
  await world.minutes(50)
  expect(signals).toHaveLength(1)
})
