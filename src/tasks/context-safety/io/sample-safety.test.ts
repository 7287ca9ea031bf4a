import { expect, test } from 'vitest'
import { anEvent } from '../../../../test/support/events.ts'
import { aTaskSession } from '../../../../test/support/task-session.ts'
import type { StoredEvent } from '../../../kernel/event.ts'
import { DEFAULT_CONFIG } from '../../../kernel/config.ts'
import { SessionId, SessionKey } from '../../../kernel/id.ts'
import type { EventQuery } from '../../../kernel/ports/store-queries.ts'
import { advance } from '../../../kernel/session.ts'
import { createTaskSetup } from '../../../../test/support/task-setup.ts'
import { findWorkingSession, lastEvents } from './sample-safety.ts'

function aLog(length: number) {
  const log = Array.from(
    { length },
    (_, index): StoredEvent => ({ seq: index + 1, hash: '', event: anEvent('turn-ended') }),
  )
  const listEvents = async ({ afterSeq = 0, limit }: EventQuery) =>
    log.filter(({ seq }) => seq > afterSeq).slice(0, limit)
  return { continuity: { listEvents }, session: { id: SessionId('claude-code/one'), lastEventSeq: length } }
}

test.each([0, 1, 499, 500, 501, 1_000, 3_700, 9_000])('of %i events the newest are read', async (length) => {
  const { continuity, session } = aLog(length)
  const seqs = (await lastEvents(continuity, session)).map(({ seq }) => seq)
  const first = Math.max(1, length - 499)
  expect(seqs).toEqual(Array.from({ length: Math.min(length, 500) }, (_, index) => first + index))
})

const TASK_SESSION = aTaskSession({
  session_id: 'session-2026-01-02-one',
  agent_id: 'operator',
  task_slug: 'feat-x',
  state: 'active',
})

test.each([
  ['session-2026-01-02-one', 'its-agent'],
  ['session-of-another-task', undefined],
])('in a supervised run the agent linked to %s is sampled', async (taskSession, expected) => {
  const link = { task: 'feat-x', taskSession, state: 'active' } as const
  const log = [
    anEvent('session-started', { harness: 'holdfast', sessionKey: SessionKey(TASK_SESSION.session_id) }),
    anEvent('session-started', { harness: 'claude-code', sessionKey: SessionKey('somebody-else') }),
    anEvent('session-started', { harness: 'claude-code', sessionKey: SessionKey('its-agent') }),
    anEvent('task-session-changed', { harness: 'claude-code', sessionKey: SessionKey('its-agent'), ...link }),
  ]
  const eventsOf = (id: string) => log.filter(({ harness, sessionKey }) => `${harness}/${sessionKey}` === id)
  const ports = createTaskSetup()
  const sessions = log
    .filter(({ kind }) => kind === 'session-started')
    .map((event) => advance(undefined, event, { seq: 1, cadence: DEFAULT_CONFIG.continuity }).session)
  const continuity = {
    ...ports.continuity,
    listSessions: async () => sessions,
    listEvents: async ({ sessionId = SessionId('') }: EventQuery) =>
      eventsOf(sessionId).map((event, seq): StoredEvent => ({ seq, hash: '', event })),
  }
  expect((await findWorkingSession({ continuity }, TASK_SESSION, '/repo'))?.key).toBe(expected)
})
