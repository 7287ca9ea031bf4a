import fc from 'fast-check'
import { expect, test } from 'vitest'
import { worthNaming } from './rank-files.ts'

const of = (...chances: readonly number[]) => chances.map((opened) => ({ chance: { opened, edited: opened / 2 } }))

test('where few stand out, these are named alone', () => {
  expect(worthNaming(of(0.9, 0.8, 0.02, 0.02, 0.02, 0.02)).length).toBe(2)
})

test('where none stands out, more are named', () => {
  expect(worthNaming(of(...Array.from({ length: 12 }, () => 0.1))).length).toBe(12)
})

test('of any files the likeliest are named, and none where there are none', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.001, max: 0.999, noNaN: true }), { maxLength: 40 }), (chances) => {
      const all = of(...chances.toSorted((a, b) => b - a))
      const named = worthNaming(all)
      expect(named).toEqual(all.slice(0, named.length))
      expect(named.length > 0).toBe(all.length > 0)
    }),
  )
})
