import { expect, test } from 'vitest'
import { createRateLimit, RATES } from './http-app.ts'
import { fakeClock } from '../../../test/support/daemon-setup.ts'

test('a burst passes, then only what flows in, each principal for itself', () => {
  const clock = fakeClock()
  const limit = createRateLimit(clock, { ...RATES, api: { perSecond: 2, burst: 3 } })
  expect([1, 2, 3, 4].map(() => limit.take('api'))).toEqual([undefined, undefined, undefined, 1])
  expect(limit.take('browser')).toBeUndefined()
  clock.advance(500)
  expect([1, 2].map(() => limit.take('api'))).toEqual([undefined, 1])
  clock.advance(3_600_000)
  expect([1, 2, 3, 4].map(() => limit.take('api'))).toEqual([undefined, undefined, undefined, 1])
})

test('ten thousand requests of one principal in a second do not all pass', () => {
  const limit = createRateLimit(fakeClock())
  const passed = Array.from({ length: 10_000 }, () => limit.take('hook')).filter((wait) => wait === undefined)
  expect(passed).toHaveLength(RATES.hook.burst)
})
