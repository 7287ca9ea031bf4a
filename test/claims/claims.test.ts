import { describe, expect, test } from 'vitest'
import { checkClaims } from '../../src/checkpoint/claims/check-claims.ts'
import { toSummary } from '../../src/checkpoint/summary.ts'
import { foldEvent } from '../../src/checkpoint/work/fold.ts'
import { emptyWork } from '../../src/checkpoint/work/state.ts'
import { PLANTED_FALSE, PLANTED_TRUE } from './planted-set.ts'
import { FRESH_FALSE, FRESH_TRUE } from './fresh-set.ts'
import type { ClaimCase } from './session.ts'
import { UNSEEN_FALSE, UNSEEN_TRUE } from './unseen-set.ts'
import { WRAPPED_FALSE, WRAPPED_TRUE } from './wrapper-set.ts'

function isFlagged({ steps, says }: ClaimCase): boolean {
  const work = steps.reduce((state, event) => foldEvent(state, event, { worktree: '/repo' }), emptyWork())
  return checkClaims(says, toSummary(work)).length > 0
}

const list = (cases: readonly ClaimCase[], flagged: boolean) =>
  cases.filter((one) => isFlagged(one) === flagged).map(({ says }) => says)

describe('planted claims', () => {
  test('the sets have the sizes that the figures are stated for', () => {
    expect([PLANTED_FALSE.length, PLANTED_TRUE.length, UNSEEN_FALSE.length, UNSEEN_TRUE.length]).toEqual([
      39, 100, 22, 44,
    ])
  })

  test('of 39 false "tests were passing" at least 37 are flagged', () => {
    expect(list(PLANTED_FALSE, false).length).toBeLessThanOrEqual(2)
  })

  test('of 100 true or unasserted ones at most 2 are flagged', () => {
    expect(list(PLANTED_TRUE, true).length).toBeLessThanOrEqual(2)
  })

  // Nothing was tuned on these: the limits are below what was measured, 21 of 22 and 0 of 44.
  test('of the unseen ones, at least 20 of 22 false and at most 2 of 44 true ones are flagged', () => {
    const [missed, wrong] = [list(UNSEEN_FALSE, false), list(UNSEEN_TRUE, true)]
    expect([missed.length <= 2, wrong.length <= 2]).toEqual([true, true])
  })

  test('behind wrappers and in other words, at most 1 of 80 false claims is missed and at most 1 of 80 true ones flagged', () => {
    expect([WRAPPED_FALSE.length, WRAPPED_TRUE.length, FRESH_FALSE.length, FRESH_TRUE.length]).toEqual([40, 40, 40, 40])
    const missed = list([...WRAPPED_FALSE, ...FRESH_FALSE], false)
    const wrong = list([...WRAPPED_TRUE, ...FRESH_TRUE], true)
    expect([missed.length <= 1, wrong.length <= 1]).toEqual([true, true])
  })
})
