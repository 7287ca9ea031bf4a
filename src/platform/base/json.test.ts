import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

const anyString = fc.array(fc.integer({ max: 0xffff })).map((units) => String.fromCharCode(...units))

test('any string is unchanged, or repaired where it held half a character', () => {
  fc.assert(
    fc.property(anyString, (text) => {
      expect(parseJson(JSON.stringify({ [text]: text }))).toEqual(
        text === '__proto__' ? {} : { [text.toWellFormed()]: text.toWellFormed() },
      )
    }),
  )
})

test('nesting beyond 64 levels is refused', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  expect(JSON.stringify(parseJson(nested(64)))).toBe(nested(64))
  expect(() => parseJson(nested(65))).toThrow('nested more than 64 levels')
  expect(() => parseJson(nested(1_000_000))).toThrow('nested more than 64 levels')
})

test('a forged prototype is dropped', () => {
  const value = parseJson('{"a":1,"__proto__":{"isAdmin":true}}')
  expect(value).toEqual({ a: 1 })
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('broken JSON is refused without quoting it', () => {
  expect(() => parseJson('{"prompt":"my secret" oops')).toThrow(/^The body is not JSON/)
  expect(() => parseJson('{"prompt":"my secret" oops')).not.toThrow(/secret/)
})
