import { expect, test } from 'vitest'
import { SessionId } from '../kernel/id.ts'
import { type DigestRun, findRunLimit } from './run-limits.ts'

const limits = { maxRunsPerHour: 4, maxRunsPerSession: 6 }
const now = '2026-01-01T12:00:00.000Z'
const sessionId = SessionId('a')
const aRun = (minutesAgo: number, more: Partial<DigestRun> = {}): DigestRun => ({
  at: new Date(Date.parse(now) - minutesAgo * 60_000).toISOString(),
  sessionId,
  ms: 1,
  ...more,
})
const find = (runs: readonly DigestRun[]) => findRunLimit(runs, limits, { now, sessionId })

test('runs are limited by the hour for all sessions, and for each session', () => {
  const others = [50, 40, 30].map((ago) => aRun(ago, { sessionId: SessionId('b') }))
  expect(find(others)).toBeUndefined()
  expect(find([...others, aRun(1)])).toBe('digest.maxRunsPerHour is 4')
  expect(find([600, 500, 400, 300, 200, 100].map((ago) => aRun(ago)))).toBe('digest.maxRunsPerSession is 6')
})

test('three failures in a row pause for an hour', () => {
  const failed = (ago: number) => aRun(ago, { error: 'no quota' })
  expect(find([failed(30), failed(20)])).toBeUndefined()
  expect(find([failed(30), failed(20), failed(10)])).toBe('the last 3 runs failed within an hour')
  expect(find([failed(30), failed(20), aRun(10)])).toBeUndefined()
  expect(find([failed(90), failed(80), failed(70)])).toBeUndefined()
})

test('a limit of 0 runs nothing', () => {
  expect(findRunLimit([], { ...limits, maxRunsPerHour: 0 }, { now, sessionId })).toBe('digest.maxRunsPerHour is 0')
})
