import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const candidate = (terms: string, importance = 5) => ({ terms: terms.split(' '), importance })
const order = (query: string, ...texts: readonly ReturnType<typeof candidate>[]) =>
  rank(query.split(' '), texts).map(({ item }) => item.terms.join(' '))

test('a rare term weighs more than one that every candidate has', () => {
  const common = [candidate('deploy a'), candidate('deploy b'), candidate('deploy c')]
  expect(order('deploy redis', ...common, candidate('redis d'))[0]).toBe('redis d')
})

test('what covers more of the question comes first', () => {
  expect(order('run test redis', candidate('redis redis redis'), candidate('run test x'))[0]).toBe('run test x')
})

test('a short text beats a long one that says the same', () => {
  expect(order('cache', candidate(`cache ${'x '.repeat(40)}`.trim()), candidate('cache y'))[0]).toBe('cache y')
})

test('importance decides between equals, and equals of the same importance keep their order', () => {
  expect(order('cache', candidate('cache a'), candidate('cache b', 9), candidate('cache c'))).toEqual([
    'cache b',
    'cache a',
    'cache c',
  ])
})

test('coverage is the share of the terms asked for', () => {
  expect(rank(['a', 'b', 'c', 'd'], [candidate('a b x'), candidate('y')]).map(({ coverage }) => coverage)).toEqual([
    0.5, 0,
  ])
  expect(rank(['a'], [])).toEqual([])
})
