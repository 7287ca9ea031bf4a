import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { systemEntropy } from './crypto.ts'

test('wall time is UTC ISO with milliseconds, and the monotonic clock never goes back', () => {
  expect(systemClock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const first = systemClock.monotonicMs()
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first)
})

test('entropy returns the requested number of bytes, different each time', () => {
  const [one, other] = [systemEntropy.bytes(32), systemEntropy.bytes(32)]
  expect([one.length, other.length]).toEqual([32, 32])
  expect(one).not.toEqual(other)
})
