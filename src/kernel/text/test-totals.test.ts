import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTotals, renderTotals } from './test-totals.ts'

const count = fc.nat(99_999)

test('what is rendered is parsed', () => {
  fc.assert(
    fc.property(count, count, count, (passed, failed, pending) => {
      expect(parseTotals(renderTotals({ passed, failed, pending }) ?? '')).toEqual({ passed, failed, pending })
    }),
  )
  expect(parseTotals(renderTotals({ failed: 2 }) ?? '')).toEqual({ passed: 0, failed: 2, pending: 0 })
})

test.each(['npm test', '12 passed users log in', '', 'parser > 2 failed'])('%j is the name of a test', (name) => {
  expect(parseTotals(name)).toBeUndefined()
})
