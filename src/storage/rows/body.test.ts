import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../kernel/json-shape.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** The reference implementation, with a replacer. */
function byTheBook(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner !== 'object' || inner === null || Array.isArray(inner)
      ? inner
      : Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', '9', 'b', 'a', '\ud800', '\u0000'))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, '\udc00')),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 6, selector: ([name]) => name }).map(Object.fromEntries),
  ),
}))

test('property: one text per value, keys sorted at every depth', () => {
  fc.assert(
    fc.property(value, (any) => {
      expect(canonicalJson({ any })).toBe(byTheBook({ any }))
    }),
    { numRuns: 1_000, seed: 20_261_116 },
  )
})

test('control: without it, another key order gives another text', () => {
  expect(JSON.stringify({ b: 1, a: 2 })).not.toBe(JSON.stringify({ a: 2, b: 1 }))
  expect(canonicalJson({ b: 1, a: 2 })).toBe(canonicalJson({ a: 2, b: 1 }))
})

test('property: a hash is that of the text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
    { seed: 20_261_116 },
  )
})
