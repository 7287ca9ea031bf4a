import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBeginnings, nextBeginning, wordAt } from './prefix-table.ts'

/** Every word that stands in the text, the longest at each place. */
function wordsIn(text: string, words: readonly string[]): [number, string][] {
  const beginnings = createBeginnings(words)
  const found: [number, string][] = []
  for (let at = nextBeginning(beginnings, text, 0); at >= 0; at = nextBeginning(beginnings, text, at + 1)) {
    const word = wordAt(beginnings, text, at)
    if (word !== undefined) found.push([at, word])
  }
  return found
}

describe('words found by how they begin', () => {
  test('the longest at a place is the one', () => {
    expect(wordsIn('sk-ant-x sk-x SK', ['sk-', 'sk-ant-', 'SK'])).toEqual([
      [0, 'sk-ant-'],
      [9, 'sk-'],
      [14, 'SK'],
    ])
  })

  test('one that is cut off by the end of the text is none', () => {
    expect(wordsIn('ghp', ['ghp_'])).toEqual([])
    expect(wordsIn('g', ['ghp_'])).toEqual([])
    expect(wordsIn('', ['ghp_'])).toEqual([])
  })

  test('they are those that comparing every word at every place finds, in any text', () => {
    const letter = fc.constantFrom('a', 'b', '_', 'A', '1', 'é', '\u{1f600}')
    const asciiWord = fc.string({ unit: fc.constantFrom('a', 'b', '_', 'A', '1'), minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(asciiWord, { minLength: 1, maxLength: 6 }), fc.string({ unit: letter }), (words, text) => {
        const longestFirst = [...words].sort((a, b) => b.length - a.length)
        const expected = Array.from(text.split(''), (_, at): [number, string | undefined] => [
          at,
          longestFirst.find((word) => text.startsWith(word, at)),
        ]).filter(([, word]) => word !== undefined)
        expect(wordsIn(text, words)).toEqual(expected)
      }),
    )
  })
})
