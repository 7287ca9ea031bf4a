import { expect, test } from 'vitest'
import { HoldfastError } from '../kernel/errors.ts'
import { SessionKey, toSessionId } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import { withCurrentSession } from './server.ts'

function aSession(key: string, more: Partial<Session> = {}): Session {
  return {
    id: toSessionId('claude-code', SessionKey(key)),
    key: SessionKey(key),
    harness: 'claude-code',
    phase: 'working',
    process: { pid: 7, startedAt: '100' },
    startedAt: '2026-10-01T10:00:00.000Z',
    lastEventAt: '2026-10-01T10:00:00.000Z',
    lastEventSeq: 1,
    promptCount: 0,
    toolCount: 0,
    compactionCount: 0,
    promptsSinceCheckpoint: 0,
    hasNewWork: false,
    epoch: 1,
    recoveredEpoch: 1,
    ...more,
  }
}

function knowing(...sessions: readonly Session[]) {
  return {
    getSession: async (key: SessionKey) => {
      const found = sessions.find((session) => session.key === key)
      if (found === undefined) throw new HoldfastError('not-found', 'There is none.')
      return found
    },
    listSessions: async () => sessions.filter(({ phase }) => phase === 'working'),
  }
}

const told = { cwd: '/app', sessionKey: 'first', harness: 'claude-code' }

test('after /clear the server of the old session speaks for the new one in the same process', async () => {
  const world = knowing(aSession('first', { phase: 'ended' }), aSession('second'))
  expect(await withCurrentSession(told, world)).toEqual({ ...told, sessionKey: 'second' })
})

test.each<[string, readonly Session[]]>([
  ['a session that still runs', [aSession('first'), aSession('second')]],
  ['a session that nobody has heard of yet', [aSession('second')]],
  ['two that it could be', [aSession('first', { phase: 'ended' }), aSession('second'), aSession('third')]],
  [
    'another process',
    [aSession('first', { phase: 'ended' }), aSession('second', { process: { pid: 8, startedAt: '100' } })],
  ],
  [
    'a later process of the same number',
    [aSession('first', { phase: 'ended' }), aSession('second', { process: { pid: 7, startedAt: '200' } })],
  ],
  ['no known process', [aSession('first', { phase: 'ended', process: undefined }), aSession('second')]],
])('%s: the named session is used', async (_, sessions) => {
  expect(await withCurrentSession(told, knowing(...sessions))).toEqual(told)
})

test('a caller without an environment stays without a session', async () => {
  expect(await withCurrentSession({ cwd: '/app' }, knowing(aSession('second')))).toEqual({ cwd: '/app' })
})
