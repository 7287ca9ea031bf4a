import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTrigramFilter } from './trigram-filter.ts'

const LONG = 5_000

describe('whether a text contains a word', () => {
  test('is what `includes` answers, for long and short texts', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-', '\u00e9', '\ud83d\ude00'), maxLength: 12 })
    fc.assert(
      fc.property(letters, letters, fc.array(letters, { maxLength: 8 }), fc.boolean(), (start, end, words, isLong) => {
        const text = `${start}${isLong ? 'x'.repeat(LONG) : ''}${end}`
        const contains = createTrigramFilter(text)
        expect(words.map(contains)).toEqual(words.map((word) => text.includes(word)))
      }),
    )
  })

  test('does not depend on the previous text', () => {
    createTrigramFilter('password '.repeat(LONG))
    expect(createTrigramFilter('x'.repeat(LONG))('password')).toBe(false)
  })
})
