import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeBackoffMs } from './retry-policy.ts'

fc.configureGlobal({ seed: 20_261_115 })

const policy = fc
  .tuple(fc.integer({ min: 1, max: 600_000 }), fc.integer({ min: 1, max: 86_400_000 }))
  .map(([baseMs, maxMs]) => ({ baseMs, maxMs }))
const chance = fc.double({ min: 0, max: 1, noNaN: true })

test('never exceeds the cap or falls below half of the full wait', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), policy, chance, (attempt, { baseMs, maxMs }, random) => {
      const wait = computeBackoffMs(attempt, { baseMs, maxMs }, random)
      expect(wait).toBeLessThanOrEqual(maxMs)
      expect(wait).toBeGreaterThanOrEqual(Math.floor(Math.min(baseMs, maxMs) / 2))
      expect(Number.isInteger(wait)).toBe(true)
    }),
  )
})

test('never shrinks from one attempt to the next for the same random value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), policy, chance, (attempt, limits, random) => {
      expect(computeBackoffMs(attempt + 1, limits, random)).toBeGreaterThanOrEqual(
        computeBackoffMs(attempt, limits, random),
      )
    }),
  )
})

test('doubles from the base', () => {
  const waits = [1, 2, 3, 4, 5].map((attempt) => computeBackoffMs(attempt, { baseMs: 1_000, maxMs: 9_000 }, 1))
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 9_000])
})
