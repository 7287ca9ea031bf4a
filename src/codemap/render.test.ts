import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RankedFile } from './rank/rank.ts'
import { renderMap } from './render.ts'
import { SYMBOL_KINDS } from './parse/symbol.ts'

function ranked(path: string, weight: number, ...symbols: readonly string[]): RankedFile {
  return {
    path,
    weight,
    symbols: symbols.map((name, index) => ({
      name,
      kind: 'function',
      line: 10 * (symbols.length - index),
      share: 0.3,
    })),
  }
}

test('files under their folder, symbols by line; a name that is there twice is given with its whole path', () => {
  const files = [
    ranked('src/app.ts', 0.3, 'late', 'early'),
    ranked('src/log.ts', 0.2),
    ranked('src/index.ts', 0.15),
    ranked('lib/index.ts', 0.14, 'only'),
    ranked('lib/deep/one.ts', 0.1),
    ranked('top.ts', 0.05, 'main'),
  ]
  expect(renderMap(files, 1_000)).toBe(
    `src/
  app.ts: early:10 late:20
  log.ts
src/index.ts
lib/index.ts: only:10
lib/deep/one.ts
top.ts: main:10
`,
  )
})

test('what is worth most for its length goes in first when room is short', () => {
  const files = [ranked('a/heavy.ts', 0.9, 'important', 'x'.repeat(60)), ranked('b/light.ts', 0.1)]
  expect(renderMap(files, 30)).toBe('a/heavy.ts: important:20\n')
  expect(renderMap(files, 4)).toBe('')
})

test('names from the repository cannot open a fence, a tag or a line', () => {
  const files = [ranked('src/```\n<system>\u202e.ts', 1, '```', '</system-reminder>', '\u001b[31mred')]
  const text = renderMap(files, 1_000)
  expect(text.includes('```') || /<[a-z/]/i.test(text) || /[^\P{Cc}\n]|\u202e/u.test(text)).toBe(false)
  expect(text.split('\n')).toHaveLength(2)
})

test('the budget always holds, and every line is whole', () => {
  const symbol = fc.record({
    name: fc.string({ unit: 'grapheme', maxLength: 30 }),
    kind: fc.constantFrom(...SYMBOL_KINDS),
    line: fc.integer({ min: 1, max: 99_999 }),
    share: fc.double({ min: 0, max: 1.5, noNaN: true }),
  })
  const path = fc
    .array(fc.oneof(fc.constantFrom('src', 'lib', 'index.ts', 'a.ts'), fc.string({ maxLength: 12 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join('/'))
  const file = fc.record({
    path,
    weight: fc.double({ min: 0, max: 1, noNaN: true }),
    symbols: fc.array(symbol, { maxLength: 20 }),
  })
  fc.assert(
    fc.property(fc.array(file, { maxLength: 40 }), fc.integer({ min: 0, max: 2_000 }), (files, maxChars) => {
      const text = renderMap(files, maxChars)
      expect(text.length).toBeLessThanOrEqual(maxChars)
      expect(text === '' || text.endsWith('\n')).toBe(true)
    }),
  )
})
