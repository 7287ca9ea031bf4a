import { describe, expect, it } from 'vitest'
import { costOf, costOfName } from './render.ts'

describe('costOf', () => {
  it('counts the characters of what is no name, and what stands between two of them', () => {
    expect(costOf({ section: 'edited', text: 'src/a.ts', value: 1, origin: 'files', reason: '' })).toBe(11)
  })

  it('counts a name of usual length in full', () => {
    expect(costOf({ section: 'identifiers', text: 'fifteenLettersX', value: 1, origin: '', reason: '' })).toBeCloseTo(
      16,
    )
  })

  it('holds less against a long name than its length, and more than nothing', () => {
    const ratio = costOfName('a'.repeat(31)) / costOfName('a'.repeat(7))
    expect(ratio).toBeGreaterThan(2)
    expect(ratio).toBeLessThan(4)
  })
})
