import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseTime } from './session-facts.ts'

const BEFORE = '2026-01-01T00:00:00.000Z'

test.each([
  ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
  [1_767_225_600_000, '2026-01-01T00:00:00.000Z'],
  ['yesterday', BEFORE],
  [Number.NaN, BEFORE],
  [undefined, BEFORE],
  // Microseconds where milliseconds belong, and years that only a format of their own can write.
  [1_767_225_600_000_000, BEFORE],
  ['+012026-01-01T00:00:00Z', BEFORE],
  [-1, BEFORE],
])('a record of the time %s is of %s', (given, expected) => {
  expect(parseTime(given, BEFORE)).toBe(expected)
})

test('whatever a transcript gives for a time, it becomes one that every schema accepts', () => {
  const time = z.iso.datetime()
  fc.assert(
    fc.property(
      fc.oneof(fc.double(), fc.integer(), fc.string(), fc.date().map(String), fc.anything()),
      (given) => time.safeParse(parseTime(given)).success,
    ),
  )
})
