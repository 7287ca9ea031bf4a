import { expect, test } from 'vitest'
import { rankItems, type RecallItem } from './rank.ts'
import { MEMORY_WEIGHTS, WORK_WEIGHTS } from './recall-weights.ts'

const item = (terms: string, more: Omit<RecallItem, 'terms'> = {}): RecallItem => ({ terms: terms.split(' '), ...more })
const order = (query: string, ...items: readonly RecallItem[]) =>
  rankItems({ terms: query.split(' ') }, items, { weights: MEMORY_WEIGHTS }).map((ranked) =>
    ranked.item.terms.join(' '),
  )

test('a rare term weighs more than one that every candidate has', () => {
  const common = [item('deploy a'), item('deploy b'), item('deploy c')]
  expect(order('deploy redis', ...common, item('redis d'))[0]).toBe('redis d')
})

test('what covers more of the question comes first', () => {
  expect(order('run test redis', item('redis redis redis'), item('run test x'))[0]).toBe('run test x')
})

test('a short text beats a long one that says the same', () => {
  expect(order('cache', item(`cache ${'x '.repeat(40)}`.trim()), item('cache y'))[0]).toBe('cache y')
})

test('importance decides between equals, then hits, and other equals keep their order', () => {
  const equals = [item('cache a'), item('cache b', { importance: 9 }), item('cache c'), item('cache d', { hits: 3 })]
  expect(order('cache', ...equals)).toEqual(['cache b', 'cache d', 'cache a', 'cache c'])
})

test('hits never lift a worse match above a better one', () => {
  expect(order('run test redis', item('redis x y', { hits: 1_000 }), item('run test redis'))[0]).toBe('run test redis')
})

test('what was said next to a good match in the same session is lifted; in another session it is not', () => {
  const match = item('cache eviction policy', { session: 's', place: 7 })
  const lone = item('policy a', { session: 's', place: 20 })
  expect(order('cache eviction policy', lone, match, item('policy b', { session: 's', place: 8 }))).toEqual([
    'cache eviction policy',
    'policy b',
    'policy a',
  ])
  expect(order('cache eviction policy', lone, match, item('policy b', { session: 't', place: 8 }))[1]).toBe('policy a')
})

test('work on the files of the best matches comes before newer work on others', () => {
  const work = [
    item('docs typo', { files: ['README.md'] }),
    item('green build', { files: ['cache.ts'] }),
    item('cache eviction', { files: ['cache.ts'] }),
  ]
  expect(
    rankItems({ terms: ['cache', 'eviction'] }, work, { weights: WORK_WEIGHTS }).map(({ item: { terms } }) =>
      terms.join(' '),
    ),
  ).toEqual(['cache eviction', 'green build', 'docs typo'])
})

test('newer work comes first when all else is equal', () => {
  const work = [item('green'), item('blue'), item('red')]
  expect(
    rankItems({ terms: ['cache'] }, work, { weights: WORK_WEIGHTS }).map(({ item: { terms } }) => terms[0]),
  ).toEqual(['green', 'blue', 'red'])
})

test('coverage is the share of the query terms', () => {
  const ranked = rankItems({ terms: ['a', 'b', 'c', 'd'] }, [item('a b x'), item('y')], { weights: MEMORY_WEIGHTS })
  expect(ranked.map(({ coverage }) => coverage)).toEqual([0.5, 0])
  expect(rankItems({ terms: ['a'] }, [], { weights: MEMORY_WEIGHTS })).toEqual([])
})
