import { expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import { SessionId } from '../kernel/id.ts'
import { BEFORE_COMMAND, type Injection } from '../kernel/injection.ts'
import { advance } from '../kernel/session.ts'
import { createLedgerEntry } from './ledger.ts'

const { session } = advance(undefined, anEvent('session-started'), {
  seq: 1,
  cadence: { promptInterval: 5, timeIntervalMs: 60_000 },
})

function getWhy(injection: Pick<Injection, 'kind' | 'reasons'>): string {
  const told = { seq: 1, sessionId: SessionId('s'), at: '', epoch: 1, chars: 9, textHash: 'h', sources: [] }
  return createLedgerEntry({ ...told, ...injection }, session, []).why
}

const line = { line: 'x', origin: 'mem-1' }

test.each<[string, Pick<Injection, 'kind' | 'reasons'>]>([
  [
    'the latest work in this worktree',
    { kind: 'recovery', reasons: [{ line: '', origin: 'selection', reason: 'same-worktree' }] },
  ],
  [
    'memories that match the prompt',
    { kind: 'memories', reasons: [{ ...line, reason: 'shares parser, token with the prompt' }] },
  ],
  [
    'npm test is about to run, and failed before',
    {
      kind: 'memories',
      reasons: [{ ...line, section: BEFORE_COMMAND, reason: 'npm test is about to run, and failed before' }],
    },
  ],
  [
    'the same command failed 3 times',
    { kind: 'notice', reasons: [{ ...line, reason: 'the same command failed 3 times' }] },
  ],
])('gives the reason: %s', (why, injection) => {
  expect(getWhy(injection)).toBe(why)
})
