import { expect, test } from 'vitest'
import { scoreTopicOverlap } from './summary.ts'

const ask = (text: string, order: number) => ({ text, at: '2026-01-01T00:00:00Z', order })

test('a name belongs to the matter by the share of its words that are spoken of, rare words before common ones', () => {
  const state = {
    asks: [ask('Show the pass rate of every run in the report.', 1), ask('yes', 2)],
    statements: [{ text: 'Now the rate is computed.', lastOrder: 3 }],
    todos: [
      { text: 'Round the rate', status: 'pending' },
      { text: 'Open the port', status: 'completed' },
    ],
  } as const
  const matter = scoreTopicOverlap(state, ['passRate', 'passCount', 'openPort', 'runId'])
  const [rate = 0, count = 0, port = 0, run = 0] = ['passRate', 'passCount', 'openPort', 'runId'].map((name) =>
    matter.get(name),
  )
  expect(rate).toBeGreaterThan(run)
  expect(run).toBeGreaterThan(count)
  expect(count).toBeGreaterThan(0)
  expect(port).toBe(0)
})

test('where nothing was said, no name belongs to the matter', () => {
  expect(scoreTopicOverlap({ asks: [], statements: [], todos: [] }, ['passRate', '__'])).toEqual(
    new Map([
      ['passRate', 0],
      ['__', 0],
    ]),
  )
})
