import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCharacterFinder } from './chars.ts'

test('finds what indexOf finds, in any order of calls', () => {
  const texts = fc.string({ unit: fc.constantFrom('<', 'a', 'b', 'c', 'd', 'e'), maxLength: 40 })
  const signs = fc.constantFrom('<', '<a', 'ab')
  fc.assert(
    fc.property(texts, signs, fc.array(fc.nat({ max: 45 }), { maxLength: 30 }), (text, sign, places) => {
      const nextSign = createCharacterFinder(text, sign)
      const searched = places.map((place) => text.indexOf(sign, place))
      expect(places.map(nextSign)).toEqual(searched.map((at) => (at < 0 ? Number.POSITIVE_INFINITY : at)))
    }),
  )
})
