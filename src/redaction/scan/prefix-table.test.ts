import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPrefixTable, findNextPrefix, matchPrefix } from './prefix-table.ts'

/** Every word in the text, the longest at each index. */
function wordsIn(text: string, words: readonly string[]): [number, string][] {
  const beginnings = createPrefixTable(words)
  const found: [number, string][] = []
  for (let at = findNextPrefix(beginnings, text, 0); at >= 0; at = findNextPrefix(beginnings, text, at + 1)) {
    const word = matchPrefix(beginnings, text, at)
    if (word !== undefined) found.push([at, word])
  }
  return found
}

describe('prefix table', () => {
  test('matches the longest word at an index', () => {
    expect(wordsIn('sk-ant-x sk-x SK', ['sk-', 'sk-ant-', 'SK'])).toEqual([
      [0, 'sk-ant-'],
      [9, 'sk-'],
      [14, 'SK'],
    ])
  })

  test('does not match a word that is cut off by the end of the text', () => {
    expect(wordsIn('ghp', ['ghp_'])).toEqual([])
    expect(wordsIn('g', ['ghp_'])).toEqual([])
    expect(wordsIn('', ['ghp_'])).toEqual([])
  })

  test('finds the same as comparing every word at every index', () => {
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
