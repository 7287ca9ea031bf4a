import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { readOutboxEvents } from './read-events.ts'

const anEvent = (id: string, subject = 's') => ({
  specversion: '1.0' as const,
  id,
  type: 'session.complete',
  source: 'urn:holdfast:task:a-task',
  subject,
  time: '2026-01-02T03:04:05.000Z',
  datacontenttype: 'application/json' as const,
  data: {},
})

test('events are in file order, the first of each id; invalid lines are counted', () => {
  using dir = tempDir()
  const lines = [
    JSON.stringify(anEvent('e1')),
    '<<<<<<< ours',
    JSON.stringify(anEvent('e2')),
    '',
    JSON.stringify(anEvent('e1', 'repeated')),
    '{"specversion":"1.0","id":"e3"}',
    JSON.stringify(anEvent('e4')).slice(0, 40),
  ]
  dir.write('tasks/a-task/json/events.ndjson', lines.join('\n'))
  expect(readOutboxEvents({ root: dir.path, slug: 'a-task' })).toEqual({
    events: [anEvent('e1'), anEvent('e2')],
    unreadable: 3,
  })
})

test('a task without events has nothing to send', () => {
  using dir = tempDir()
  expect(readOutboxEvents({ root: dir.path, slug: 'a-task' })).toEqual({ events: [], unreadable: 0 })
})
