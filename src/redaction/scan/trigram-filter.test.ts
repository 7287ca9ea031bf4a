import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { heldWords } from './trigram-filter.ts'

const LONG = 5_000

describe('whether a text holds a word', () => {
  test('is what searching for it would answer, for long texts and short ones', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-', '\u00e9', '\ud83d\ude00'), maxLength: 12 })
    fc.assert(
      fc.property(letters, letters, fc.array(letters, { maxLength: 8 }), fc.boolean(), (start, end, words, isLong) => {
        const text = `${start}${isLong ? 'x'.repeat(LONG) : ''}${end}`
        const holds = heldWords(text)
        expect(words.map(holds)).toEqual(words.map((word) => text.includes(word)))
      }),
    )
  })

  test('does not remember the text before', () => {
    heldWords('password '.repeat(LONG))
    expect(heldWords('x'.repeat(LONG))('password')).toBe(false)
  })
})
