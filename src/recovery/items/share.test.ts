import { expect, test } from 'vitest'
import { createShare } from './item.ts'

test('one of many that will be needed is worth less than one of few', () => {
  const ofTwo = createShare([0.9, 0.9])
  const ofThirty = createShare(Array.from({ length: 30 }, () => 0.9))
  expect(ofTwo(0.9)).toBeCloseTo(0.5)
  expect(ofThirty(0.9)).toBeCloseTo(1 / 30)
})

test('where hardly anything will be needed, a small chance stays small', () => {
  expect(createShare([0.1, 0.05])(0.1)).toBe(0.1)
  expect(createShare([])(0.2)).toBe(0.2)
})
