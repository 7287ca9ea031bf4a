import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SessionId } from '../kernel/id.ts'
import { adjustmentOf, type Labelled, scoreSections } from './scorer.ts'
import { USE_RATES } from './scorer.ts'

function sessions(count: number, used: number, section = 'read'): readonly Labelled[] {
  return Array.from({ length: count }, (_, index) => ({
    sessionId: SessionId(`s-${index}`),
    labels: [{ section, shown: 3, used }],
  }))
}

const factorOf = (here: readonly Labelled[], everywhere: readonly Labelled[] = [], section = 'read') =>
  scoreSections(here, everywhere).find((score) => score.section === section)?.factor

describe('the scorer', () => {
  test('changes nothing before it has learnt something', () => {
    expect(adjustmentOf(scoreSections([], []))).toBeUndefined()
  })

  test('is not moved by one session, or two, whatever they did', () => {
    expect(factorOf(sessions(2, 0))).toBe(1)
    const loud = sessions(1, 3).flatMap((one) => Array.from({ length: 50 }, () => one))
    expect(factorOf(loud, loud)).toBe(1)
  })

  test('hears a session once, however often it is compacted', () => {
    const three = sessions(3, 0)
    const loud = sessions(1, 3).flatMap((one) => Array.from({ length: 50 }, () => one))
    expect(factorOf([...three, ...loud])).toBe(factorOf(three))
  })

  test('lowers what is never used here and raises what always is', () => {
    expect(factorOf(sessions(10, 0))).toBeLessThan(0.6)
    expect(factorOf(sessions(10, 3))).toBeGreaterThan(1.5)
    expect(factorOf(sessions(10, 3), [], 'edited')).toBe(1)
  })

  test('what was seen in all projects counts where nothing was seen in this one', () => {
    expect(factorOf([], sessions(20, 0))).toBeLessThan(0.6)
  })

  test('one more session, at worst, moves a factor by little', () => {
    for (const count of [3, 5, 10, 30, 100]) {
      const usual = sessions(count, 3 * (USE_RATES['read'] ?? 0))
      const poisoned = [...usual, { sessionId: SessionId('evil'), labels: [{ section: 'read', shown: 3, used: 3 }] }]
      expect(Math.abs((factorOf(poisoned) ?? 0) - (factorOf(usual) ?? 0))).toBeLessThan(0.31)
    }
  })

  test('stays within its bounds and touches no section but its own, whatever it is fed', () => {
    const labelled = fc.array(
      fc.record({
        sessionId: fc.string().map(SessionId),
        labels: fc.array(
          fc.record({
            section: fc.constantFrom('read', 'goal', 'next', 'commands'),
            shown: fc.integer({ min: 1, max: 3 }),
            used: fc.constant(0),
          }),
        ),
      }),
    )
    fc.assert(
      fc.property(labelled, labelled, (here, everywhere) => {
        const scores = scoreSections(here, everywhere)
        expect(scores.every(({ factor }) => factor >= 0.5 && factor <= 2)).toBe(true)
        const adjust = adjustmentOf(scores) ?? (() => 1)
        expect([adjust({ section: 'goal' }), adjust({ section: 'next' })]).toEqual([1, 1])
        expect(scoreSections(here, everywhere)).toEqual(scores)
      }),
    )
  })
})
