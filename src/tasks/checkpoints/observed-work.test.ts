import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import { EventId } from '../../kernel/id.ts'
import type { FileAction, SessionEvent } from '../../kernel/event.ts'
import { removeWritten, areFilesDue, isCheckpointDue, NO_WORK, observeEvent } from './observed-work.ts'

const ROOT = '/srv/shop'

function touched(path: string, action: FileAction, ok = true): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Write', kind: 'edit', files: [{ path, action }] },
    outcome: { ok },
  })
}

function ran(command: string, ok: boolean, output = ''): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Bash', kind: 'shell', files: [], command },
    outcome: { ok, output },
  })
}

const seeAll = (events: readonly SessionEvent[]) =>
  events.reduce((seen, event) => observeEvent(seen, event, ROOT), NO_WORK)

test('a created file is due at once and stays created after edits', () => {
  const seen = seeAll([touched(`${ROOT}/src/a.ts`, 'created'), touched(`${ROOT}/src/a.ts`, 'edited')])
  expect([...seen.files]).toEqual([['src/a.ts', 'created']])
  expect(areFilesDue(seen)).toBe(true)
  expect([...removeWritten(seen).files]).toEqual([])
})

test('edits are due when they are many', () => {
  const edits = ['a', 'b', 'c', 'd', 'e'].map((name) => touched(`src/${name}.ts`, 'edited'))
  expect(isCheckpointDue(seeAll(edits.slice(0, 4)))).toBe(false)
  expect(isCheckpointDue(seeAll(edits))).toBe(true)
})

test('reads, failures, other folders and task records do not count', () => {
  const seen = seeAll([
    touched('src/a.ts', 'read'),
    touched('src/b.ts', 'created', false),
    touched('/etc/passwd', 'edited'),
    touched('../other/a.ts', 'created'),
    touched('tasks/feat-x/json/x.json', 'created'),
  ])
  expect(seen).toEqual(NO_WORK)
})

test('a test that failed and then passes is an error recovery with the files changed in between', () => {
  const seen = seeAll([
    ran('npm test', false, 'AssertionError: expected 1 to be 2\n'),
    touched('src/a.ts', 'edited'),
    ran('npm test', true),
  ])
  expect(seen.recoveries).toEqual([
    {
      error: 'npm test: AssertionError: expected 1 to be 2',
      resolution: 'npm test passes after changes to src/a.ts',
    },
  ])
  expect(observeEvent(seen, ran('npm test', true), ROOT).recoveries).toHaveLength(1)
})

test('a command that is not a check is never a recovery', () => {
  expect(seeAll([ran('ls nowhere', false), ran('ls nowhere', true)]).recoveries).toEqual([])
})

test('events of the agent count, events of task checkpoints do not', () => {
  const said = anEvent('decision-made', { decision: 'JWT', rationale: 'stateless' })
  expect(seeAll([said]).decisions).toEqual([{ decision: 'JWT', rationale: 'stateless', alternatives_considered: [] }])
  const own = anEvent('decision-made', { id: EventId('ckpt-2026-01-02-x/decision-made/0') })
  expect(seeAll([own])).toEqual(NO_WORK)
})
