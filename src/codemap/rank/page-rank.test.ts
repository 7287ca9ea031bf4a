import { expect, test } from 'vitest'
import { pageRank } from './rank.ts'

const round = (values: Float64Array) => [...values].map((value) => Number(value.toFixed(3)))

test('a referenced node outranks its referrers', () => {
  // 0 and 1 refer to 2; 2 refers to none.
  const graph = { from: Uint32Array.of(0, 1, 2, 2), to: Uint32Array.of(2, 2), weight: Float64Array.of(1, 1) }
  const rank = pageRank(graph, Float64Array.of(1 / 3, 1 / 3, 1 / 3))
  expect(round(rank)).toEqual([0.227, 0.227, 0.545])
})

test('it stays near the restart distribution', () => {
  const graph = { from: Uint32Array.of(0, 1, 2, 2, 2), to: Uint32Array.of(2, 3), weight: Float64Array.of(1, 1) }
  const rank = pageRank(graph, Float64Array.of(1, 0, 0, 0))
  expect(round(rank)).toEqual([0.588, 0, 0.412, 0])
})

test('the ranks of a graph without edges are the restart', () => {
  const graph = { from: new Uint32Array(3), to: new Uint32Array(0), weight: new Float64Array(0) }
  expect(round(pageRank(graph, Float64Array.of(0.25, 0.75)))).toEqual([0.25, 0.75])
})
