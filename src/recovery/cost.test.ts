import { describe, expect, it } from 'vitest'
import { estimateCost, estimateNameCost } from './render.ts'

describe('costOf', () => {
  it('counts the characters of other items, and their separator', () => {
    expect(
      estimateCost({
        section: 'edited',
        subject: { kind: 'file', path: 'src/a.ts' },
        text: 'src/a.ts',
        value: 1,
        origin: 'files',
        reason: '',
      }),
    ).toBe(11)
  })

  it('counts a name of usual length in full', () => {
    expect(
      estimateCost({
        section: 'identifiers',
        subject: { kind: 'identifier', name: 'fifteenLettersX' },
        text: 'fifteenLettersX',
        value: 1,
        origin: '',
        reason: '',
      }),
    ).toBeCloseTo(16)
  })

  it('holds less against a long name than its length, and more than nothing', () => {
    const ratio = estimateNameCost('a'.repeat(31)) / estimateNameCost('a'.repeat(7))
    expect(ratio).toBeGreaterThan(2)
    expect(ratio).toBeLessThan(4)
  })
})
