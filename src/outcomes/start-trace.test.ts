import { expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import type { SessionEvent } from '../kernel/event.ts'
import { createStartTracer, MAX_TRACED_CALLS } from './start-trace.ts'

function traced(events: readonly SessionEvent[]) {
  const tracing = createStartTracer('/project')
  events.forEach((event, index) => tracing.follow({ seq: index + 1, event, hash: '' }))
  return tracing.epochs()
}

test('a start and a compaction are traced apart', () => {
  const epochs = traced([
    anEvent('session-started'),
    anEvent('tool-finished'),
    anEvent('session-started', { source: 'compact' }),
    anEvent('prompt-submitted', { prompt: 'Look at src/lexer.ts and readToken, see #123.' }),
  ])
  expect(
    epochs.map(({ source, startSeq, eventSeq, calls }) => ({ source, startSeq, eventSeq, calls: calls.length })),
  ).toEqual([
    { source: 'startup', startSeq: 1, eventSeq: 2, calls: 1 },
    { source: 'compact', startSeq: 3, eventSeq: 4, calls: 0 },
  ])
  expect(epochs[1]?.prompts).toEqual([
    { afterCalls: 0, at: '2026-01-02T03:04:05.000Z', paths: ['src/lexer.ts'], names: ['readToken', '#123'] },
  ])
})

test('a session whose start was not seen is traced from its first event', () => {
  expect(traced([anEvent('tool-finished')])).toMatchObject([{ startSeq: 1, calls: [{ edits: ['src/parser.ts'] }] }])
})

test('failed edits, searches and subagents do not count', () => {
  const [epoch] = traced([
    anEvent('session-started'),
    anEvent('tool-finished', { outcome: { ok: false } }),
    anEvent('tool-finished', {
      tool: { name: 'Grep', kind: 'search', files: [{ path: 'src', action: 'read' }], query: 'keepBlankLines' },
    }),
    anEvent('tool-finished', { subagent: { id: 'a' } }),
  ])
  expect(epoch?.calls.map(({ reads, edits, names, isSearch }) => ({ reads, edits, names, isSearch }))).toEqual([
    { reads: [], edits: [], names: [], isSearch: false },
    { reads: [], edits: [], names: ['keepBlankLines'], isSearch: true },
  ])
})

test('the names of an edit are also those that its fragment has no room for', () => {
  const tool = {
    name: 'Write',
    kind: 'edit',
    files: [],
    fragment: 'readToken()',
    names: ['readToken', 'parseLine'],
  } as const
  const [epoch] = traced([anEvent('session-started'), anEvent('tool-finished', { tool })])
  expect(epoch?.calls.map(({ names }) => names)).toEqual([['readToken', 'parseLine']])
})

test('decisions come from events, digests and messages, once each', () => {
  const [epoch] = traced([
    anEvent('session-started'),
    anEvent('decision-made', { decision: 'Keep the parser by hand' }),
    anEvent('digest-written', { summary: 'x', decisions: [{ decision: 'Use tabs everywhere' }] }),
    anEvent('turn-ended', { lastMessage: 'Done.\nDecision: Keep the parser by hand' }),
  ])
  expect(epoch?.decisions).toEqual([
    { afterCalls: 0, text: 'Keep the parser by hand' },
    { afterCalls: 0, text: 'Use tabs everywhere' },
  ])
})

test('a trace is bounded', () => {
  const [epoch] = traced(Array.from({ length: MAX_TRACED_CALLS + 50 }, () => anEvent('tool-finished')))
  expect(epoch?.calls).toHaveLength(MAX_TRACED_CALLS)
  expect(epoch?.eventSeq).toBe(MAX_TRACED_CALLS + 50)
})
