import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('drops the entry that was set longest ago, also when its key is undefined', () => {
  const map = new BoundedMap<string | undefined, number>(2)
  map.set(undefined, 0).set('a', 1).set('b', 2)
  expect([...map]).toEqual([
    ['a', 1],
    ['b', 2],
  ])
  map.set('a', 3).set('c', 4)
  expect([...map.keys()]).toEqual(['a', 'c'])
})
