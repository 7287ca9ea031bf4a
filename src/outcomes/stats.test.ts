import { expect, test } from 'vitest'
import { aReceipt } from '../../test/contracts/store-contract-start-outcomes.ts'
import { ProjectId, SessionId } from '../kernel/id.ts'
import type { StartOutcome } from '../kernel/start-outcome.ts'
import { compareStarts, countSectionUse } from './stats.ts'

const many = (count: number, receipt: Partial<StartOutcome>) =>
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

test('a start without tool calls is left out', () => {
  expect(compareStarts([aReceipt('a', { calls: 0 })])).toEqual([])
})

test('a median and its range come with n; missing figures are left out', () => {
  const starts = [1, 4, 2, 9].map((calls, index) => aReceipt(`s-${index}`, { callsToFirstEdit: calls }))
  const [project] = compareStarts(starts)
  expect(project?.comparisons[0]?.warm.callsToFirstEdit).toEqual({ n: 4, median: 3, lowest: 1, highest: 9 })
  expect(project?.comparisons[0]?.warm.msToFirstEdit).toBeUndefined()
})

test.each([
  [3, 0, false, 'Nothing to compare with: 3 warm, 0 cold.'],
  [9, 20, false, 'Too few to compare (9 warm, 20 cold; at least 10 of each are needed).'],
  [
    10,
    10,
    true,
    'Observed, not an experiment (10 warm, 10 cold): starts were not assigned at random, and the work differed.',
  ],
])('%i warm and %i cold', (warm, cold, isEnough, caution) => {
  const [project] = compareStarts([...many(warm, {}), ...many(cold, { isWarm: false })])
  expect(project?.comparisons[0]).toMatchObject({ isEnough, caution })
})

test('labels are summed by section, and a session counts once however often it was compacted', () => {
  const aStart = (session: string, used: number) => ({
    sessionId: SessionId(session),
    labels: [{ section: 'read', shown: 3, used }],
  })
  const here = [aStart('a', 2), aStart('a', 3), aStart('b', 0)]
  const edited = { sessionId: SessionId('c'), labels: [{ section: 'edited', shown: 1, used: 1 }] }
  expect(countSectionUse(here, [...here, edited])).toEqual([
    { section: 'edited', everywhere: { sessions: 1, shown: 1, used: 1 }, here: { sessions: 0, shown: 0, used: 0 } },
    { section: 'read', everywhere: { sessions: 2, shown: 6, used: 2 }, here: { sessions: 2, shown: 6, used: 2 } },
  ])
})
