import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_PROGRESS_LIMITS, countFailuresAtStep, type SessionResult, findStall } from './progress.ts'

fc.configureGlobal({ seed: 20_261_115 })

const start = { tree: 'a', position: 'G4' }
const ok = (tree: string, position = 'G4'): SessionResult => ({ tree, position })
const bad = (tree: string, failure: string, position = 'G4'): SessionResult => ({ tree, position, failure })
const stall = (laps: readonly SessionResult[]) => findStall(start, laps, DEFAULT_PROGRESS_LIMITS)

describe('stalled runs', () => {
  test.each<[string, readonly SessionResult[], ReturnType<typeof stall>]>([
    ['one session that changed nothing may happen', [ok('a')], undefined],
    ['two in a row may not', [ok('a'), ok('a')], 'no-diff'],
    ['a change in between starts the count again', [ok('a'), ok('b'), ok('b')], undefined],
    ['a gate that was passed is progress without a diff', [ok('a', 'G5'), ok('a', 'G6')], undefined],
    ['a failure once and once again', [bad('a', 'x'), bad('a', 'x')], undefined],
    ['a failure that came back twice', [bad('a', 'x'), bad('a', 'x'), bad('a', 'x')], 'same-failure'],
    ['also with others in between', [bad('a', 'x'), bad('a', 'y'), bad('a', 'x'), bad('a', 'x')], 'same-failure'],
    ['the same failure over other files is another try', [bad('a', 'x'), bad('b', 'x'), bad('c', 'x')], undefined],
    ['failures do not count as idle sessions', [bad('a', 'x'), bad('a', 'y')], undefined],
  ])('%s', (_, laps, expected) => {
    expect(stall(laps)).toBe(expected)
  })

  test('a run in which nothing ever changes ends after as many sessions as the limits allow', () => {
    const lap = fc.oneof(
      fc.constant(ok('a')),
      fc.constantFrom('x', 'y').map((failure) => bad('a', failure)),
    )
    fc.assert(
      fc.property(fc.array(lap, { minLength: 12, maxLength: 12 }), (laps) => {
        const ended = laps.findIndex((_, n) => stall(laps.slice(0, n + 1)) !== undefined)
        // Two kinds of failure, each seen twice, with an idle session between any two of them: one more ends it.
        expect(ended).toBeGreaterThanOrEqual(1)
        expect(ended).toBeLessThan(10)
      }),
    )
  })
})

test('failures are counted since the last success, at one step', () => {
  expect(countFailuresAtStep([])).toBe(0)
  expect(countFailuresAtStep([bad('a', 'x'), bad('a', 'x')])).toBe(2)
  expect(countFailuresAtStep([bad('a', 'x'), ok('b'), bad('a', 'x')])).toBe(1)
  expect(countFailuresAtStep([bad('a', 'x', 'G3'), bad('a', 'x')])).toBe(1)
  expect(countFailuresAtStep([bad('a', 'x'), ok('b')])).toBe(0)
})
