import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import { aTaskSession } from '../../../test/support/task-session.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { advance, type Session } from '../../kernel/session.ts'
import { createLinker } from './link-harness.ts'

const cadence = { promptInterval: 10, timeIntervalMs: 900_000 }

function aSession(key: string, process: { pid: number; startedAt?: string }): Session {
  const event = anEvent('session-started', { sessionKey: SessionKey(key), source: 'startup', process })
  return advance(undefined, event, { seq: 1, cadence }).session
}

const task = aTaskSession({ state: 'active', current_gate: 'G4' })
const row = (pid: number, startedAt: string) => ({ pid, parent: 1, group: pid, session: pid, startedAt, cpu: 0 })

function linkerFor(list: () => Promise<readonly Session[]>) {
  const recorded: SessionEvent[] = []
  const problems: string[] = []
  const link = createLinker({
    root: '/project',
    clock: { now: () => '2026-01-01T00:00:01.000Z' },
    list,
    record: async (events) => recorded.push(...events),
    onProblem: (text) => problems.push(text),
  })
  return { recorded, problems, link }
}

test('a session in a process of the run is linked once; one whose pid was reused is not', async () => {
  const sessions = [
    aSession('mine', { pid: 10, startedAt: 'boot:100' }),
    aSession('untold', { pid: 11 }),
    aSession('earlier', { pid: 12, startedAt: 'boot:7' }),
    aSession('elsewhere', { pid: 99 }),
  ]
  const { recorded, link } = linkerFor(async () => sessions)
  for (let look = 0; look < 3; look += 1) {
    link(task, [row(10, '100'), row(11, '101'), row(12, '102')])
    await setImmediate()
  }
  expect(recorded.map(({ sessionKey, kind }) => [sessionKey, kind])).toEqual([
    ['mine', 'task-session-changed'],
    ['untold', 'task-session-changed'],
  ])
})

test('a failing list is reported once and retried', async () => {
  let asked = 0
  const { problems, link } = linkerFor(async () => {
    asked += 1
    throw new Error('no daemon')
  })
  for (let look = 0; look < 3; look += 1) {
    link(task, [])
    await setImmediate()
  }
  expect([asked, problems]).toEqual([3, ["The agent's own session is not linked: no daemon"]])
})
