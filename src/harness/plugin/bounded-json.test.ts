import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedJson } from './bounded-json.ts'

test('what is JSON already comes through as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(JSON.parse(boundedJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 200, seed: 5 },
  )
})

test('functions, cycles, getters that fail and what lies too deep are left out', () => {
  const cyclic: Record<string, unknown> = { name: 'a', call: () => 1, big: 10n }
  cyclic.self = cyclic
  Object.defineProperty(cyclic, 'bad', {
    enumerable: true,
    get() {
      throw new Error('no')
    },
  })
  expect(boundedJson(cyclic)).toBe('{"name":"a","big":"10"}')
  let deep: unknown = 'x'
  for (let level = 0; level < 50; level += 1) deep = { deep }
  expect(boundedJson(deep).length).toBeLessThan(200)
})

test('the same object in two places is there twice: only a circle is cut', () => {
  const shared = { a: 1 }
  expect(boundedJson({ x: shared, y: shared })).toBe('{"x":{"a":1},"y":{"a":1}}')
})

test('however much is handed over, it stays below what the hook takes', () => {
  const much = Array.from({ length: 300 }, () => 'x'.repeat(100_000))
  const json = boundedJson({ much, output: `${'a'.repeat(60_000)}END` })
  expect(json.length).toBeLessThan(900_000)
  expect(boundedJson({ output: `${'a'.repeat(60_000)}END` })).toContain('END')
})

test('a proxy that fails on every look is nothing, and no error', () => {
  const hostile = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('no')
      },
    },
  )
  expect(boundedJson(hostile)).toBe('null')
})
