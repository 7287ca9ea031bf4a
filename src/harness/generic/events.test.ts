import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { readEvent } from './events.ts'
import { HARNESS_EVENT_KINDS } from '../../kernel/event.ts'
import { generic } from './index.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook', pid: 42 }
const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'generic-harness.md'), 'utf8')

/** The worked example, as a third party would take it. */
const example = (/```jsonl\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  .trim()
  .split('\n')
  .map((line) => {
    const at = line.indexOf(' ')
    const payload: unknown = JSON.parse(line.slice(at + 1))
    return { hook: line.slice(0, at), payload }
  })

describe('docs/generic-harness.md', () => {
  test('has an example of every event', () => {
    expect(new Set(example.map(({ hook }) => hook))).toEqual(new Set(HARNESS_EVENT_KINDS))
  })

  test('each line of its example is the event that it says', () => {
    const events = example.map(({ hook, payload }) => readEvent(hook, payload, arrival))
    expect(events.map((event) => event?.kind)).toEqual(example.map(({ hook }) => hook))
    for (const event of events) expect(event?.sessionKey).toBe('typist:s-17')
    expect(events[0]).toEqual({
      kind: 'session-started',
      id: arrival.id,
      harness: 'generic',
      harnessVersion: '2.1',
      sessionKey: 'typist:s-17',
      at: arrival.at,
      door: 'hook',
      cwd: '/home/ada/parser',
      process: { pid: 42 },
      source: 'startup',
      model: 'some-model',
    })
    expect(events[3]).toMatchObject({
      id: 'generic/typist:s-17/tool-finished/t1',
      tool: { kind: 'edit', files: [{ path: 'src/parser.ts', action: 'edited' }] },
      outcome: { ok: true },
    })
    expect(events[4]).toMatchObject({
      tool: { kind: 'shell', command: 'npm test' },
      outcome: { ok: false, exitStatus: 1, output: '1 failed, 12 passed', durationMs: 4_100 },
    })
    expect(events[6]).toMatchObject({ subagent: { id: 'a1', type: 'reviewer' }, lastMessage: 'One case is missing.' })
    expect(events[9]).toMatchObject({ tokensBefore: 180_000, tokensAfter: 9_000 })
  })

  test('its table names every field of the example', () => {
    const table = page.slice(page.indexOf('| field |'), page.indexOf('## What comes back'))
    const fields = new Set(example.flatMap(({ payload }) => Object.keys(Object(payload))))
    expect([...fields].filter((field) => !table.includes(`\`${field}\``))).toEqual([])
  })

  test('what it says has an answer has one, and nothing else', () => {
    expect(HARNESS_EVENT_KINDS.filter((event) => generic.canInject(event, {}))).toEqual([
      'session-started',
      'prompt-submitted',
      'compaction-started',
    ])
    expect(generic.writeInjection('session-started', 'Where you were')).toBe('Where you were')
    expect(generic.writeInjection('turn-ended', 'Where you were')).toBeUndefined()
  })
})

test('a payload without a session is refused with the way out', () => {
  expect(() => readEvent('turn-ended', {}, arrival)).toThrow(/session/)
  expect(() => readEvent('tool-finished', { session: 's' }, arrival)).toThrow(/tool/)
})
