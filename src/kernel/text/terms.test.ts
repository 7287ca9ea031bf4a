import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extractQueryTerms, extractTerms } from './terms.ts'

test.each([
  ['getHTTPUser2', ['gethttpuser2', 'get', 'http', 'user']],
  ['max_pool_size', ['maxpoolsiz', 'max', 'pool', 'siz']],
  ['src/core/event.ts', ['src', 'cor', 'event', 'ts']],
  ['Straße CAFÉ ﬁle', ['strass', 'caf', 'fil']],
  ['数据库 db', ['数据', '据库', 'db']],
  ['--- !!! "\u0000"', []],
])('%j is found by %j', (text, terms) => {
  expect(extractTerms(text)).toEqual(terms)
})

test.each([
  ['test', 'tests', 'testing', 'tested'],
  ['cache', 'caches', 'caching', 'cached'],
  ['process', 'processes', 'processing', 'processed'],
  ['query', 'queries'],
  ['run', 'runs', 'running'],
  ['class', 'classes'],
  ['size', 'sizes', 'sizing', 'sized'],
  ['file', 'files'],
  ['tree', 'trees'],
])('%s and its other forms meet', (...forms) => {
  expect(new Set(forms.flatMap((form) => extractTerms(form))).size).toBe(1)
})

test('a question is asked by its telling words, each once', () => {
  expect(extractQueryTerms('How do I run the tests? The TESTS!')).toEqual(['run', 'test'])
})

test('a question of nothing but small words is asked by those', () => {
  expect(extractQueryTerms('what is it')).toEqual(['what', 'is', 'it'])
})

test('every query term is a term of its own text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const terms = new Set(extractTerms(text))
      expect(extractQueryTerms(text).filter((term) => !terms.has(term))).toEqual([])
    }),
  )
})

test('terms hold nothing that either full-text language could take for syntax', () => {
  const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  fc.assert(
    fc.property(anyUnits, (units) => {
      const text = String.fromCharCode(...units)
      for (const term of [...extractTerms(text), ...extractQueryTerms(text)]) {
        expect(term).toMatch(/^[\p{L}\p{M}\p{N}\p{Cs}]+$/u)
      }
    }),
  )
})

test('a question is asked by its first words of substance, whatever is pasted behind them', () => {
  const spelled = (number: number) => `w${'abcdefgh'[number % 8]}${'abcdefgh'[Math.floor(number / 8)]}x`
  const first = Array.from({ length: 64 }, (_, index) => `the ${spelled(index)}`).join(' ')
  expect(extractQueryTerms(`${first} and a pasted log`)).toEqual(extractQueryTerms(first))
  expect(extractQueryTerms(`${'the '.repeat(100)} parser`)).toEqual(['parser'])
})

test('a text of any length gives a bounded number of terms', () => {
  expect(extractTerms('word '.repeat(50_000)).length).toBe(4_000)
  expect(extractQueryTerms(Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')).length).toBe(64)
  expect(extractTerms('x'.repeat(1_000_000))).toEqual([])
})
