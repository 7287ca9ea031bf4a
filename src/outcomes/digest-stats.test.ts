import { expect, test } from 'vitest'
import { aReceipt } from '../../test/contracts/store-contract-start-outcomes.ts'
import { anEvent } from '../../test/support/events.ts'
import { SessionKey, toSessionId } from '../kernel/id.ts'
import { summarizeDigests } from './stats.ts'

const session = (key: string) => toSessionId('claude-code', SessionKey(key))
const written = (key: string, at: string, seq: number, author: 'agent' | 'command' = 'agent') => ({
  seq,
  hash: '',
  event: anEvent('digest-written', { sessionKey: SessionKey(key), at, author }),
})

test('a request counts as followed by a digest of the agent before the next request', () => {
  const requests = [
    { sessionId: session('a'), at: '2026-01-01T10:00:00.000Z' },
    { sessionId: session('a'), at: '2026-01-01T12:00:00.000Z' },
    { sessionId: session('b'), at: '2026-01-01T10:00:00.000Z' },
    { sessionId: session('c'), at: '2026-01-01T10:00:00.000Z' },
  ]
  const digests = [
    written('a', '2026-01-01T10:01:00.000Z', 1),
    written('b', '2026-01-01T09:59:00.000Z', 2),
    written('c', '2026-01-01T10:01:00.000Z', 3, 'command'),
  ]
  expect(summarizeDigests({ requests, written: digests, outcomes: [] })).toEqual({
    requests: 4,
    followed: 1,
    startsWith: { starts: 0 },
    startsWithout: { starts: 0 },
  })
})

test('starts after a digest are compared with starts after none; cold ones are left out', () => {
  const start = (key: string, from: string, callsToFirstEdit: number) =>
    aReceipt(key, { earlierSessions: [session(from)], callsToFirstEdit, startSeq: 10 })
  const { startsWith, startsWithout } = summarizeDigests({
    requests: [],
    written: [written('a', '2026-01-01T10:01:00.000Z', 5), written('late', '2026-01-01T10:01:00.000Z', 11)],
    outcomes: [
      start('n1', 'a', 2),
      start('n2', 'b', 8),
      start('n3', 'late', 6),
      { ...start('n4', 'a', 90), isWarm: false },
    ],
  })
  expect([startsWith.starts, startsWith.callsToFirstEdit?.median]).toEqual([1, 2])
  expect([startsWithout.starts, startsWithout.callsToFirstEdit?.median]).toEqual([2, 7])
})
