import { expect, test } from 'vitest'
import { aReceipt } from '../../test/contracts/store-contract-receipts.ts'
import { ProjectId } from '../kernel/id.ts'
import type { Receipt } from '../kernel/start-outcome.ts'
import { compareStarts } from './stats.ts'

const many = (count: number, receipt: Partial<Receipt>) =>
  Array.from({ length: count }, (_, index) => aReceipt(`s-${index}`, receipt))

test('each project is compared with its own cold starts, new sessions apart from compactions', () => {
  const projects = compareStarts([
    aReceipt('a'),
    aReceipt('b', { source: 'compact' }),
    aReceipt('c', { projectId: ProjectId('project-b'), isWarm: false }),
  ])
  expect(
    projects.map(({ projectId, comparisons }) => [
      projectId,
      comparisons.map(({ circumstance, warm, cold }) => [circumstance, warm.starts, cold.starts]),
    ]),
  ).toEqual([
    [
      'project-a',
      [
        ['start', 1, 0],
        ['compact', 1, 0],
      ],
    ],
    ['project-b', [['start', 0, 1]]],
  ])
})

test('a start after which no tool ran shows nothing', () => {
  expect(compareStarts([aReceipt('a', { calls: 0 })])).toEqual([])
})

test('a median and its range say of how many; what nobody had is left out', () => {
  const starts = [1, 4, 2, 9].map((calls, index) => aReceipt(`s-${index}`, { callsToFirstEdit: calls }))
  const [project] = compareStarts(starts)
  expect(project?.comparisons[0]?.warm.callsToFirstEdit).toEqual({ n: 4, median: 3, lowest: 1, highest: 9 })
  expect(project?.comparisons[0]?.warm.msToFirstEdit).toBeUndefined()
})

test.each([
  [3, 0, false, 'Nothing to compare with: 3 warm, 0 cold.'],
  [9, 20, false, 'Too few to compare (9 warm, 20 cold; 10 of each are the least).'],
  [
    10,
    10,
    true,
    'Seen, not tested (10 warm, 10 cold): nobody drew lots over which starts were told something, and the work differed.',
  ],
])('%i warm and %i cold', (warm, cold, isEnough, caution) => {
  const [project] = compareStarts([...many(warm, {}), ...many(cold, { isWarm: false })])
  expect(project?.comparisons[0]).toMatchObject({ isEnough, caution })
})
