import { expect, test } from 'vitest'
import { EventId } from '../kernel/id.ts'
import { connectors } from './registry.ts'

const arrival = { id: EventId('event-1'), at: '2026-01-02T03:04:05.000Z', door: 'hook' } as const
const sentences = (count: number) =>
  Array.from({ length: count }, (_, index) => `Sentence number ${index} says what was done.`).join('\n')
/** As long as the longest that were seen in real sessions. */
const SUMMARY = sentences(320)
const MESSAGE = sentences(170)

function read(harness: string, hook: string, payload: object) {
  const connector = connectors.find(({ id }) => id === harness)
  const event = connector?.readEvent(hook, payload, arrival)
  if (event?.kind === 'turn-ended') return event.lastMessage
  return event?.kind === 'compaction-finished' ? event.summary : undefined
}

test.each([
  ['claude-code', 'Stop', { session_id: 's', last_assistant_message: MESSAGE }],
  ['codex', 'Stop', { session_id: 's', turn_id: 't', last_assistant_message: MESSAGE }],
  ['gemini-cli', 'AfterAgent', { session_id: 's', prompt_response: MESSAGE }],
  ['opencode', 'session.idle', { session: { id: 's' }, last: { messageID: 'm', text: MESSAGE } }],
])('%s: the last message of a turn is stored whole', (harness, hook, payload) => {
  expect(read(harness, hook, payload)).toBe(MESSAGE)
})

test.each([
  ['claude-code', 'PostCompact', { session_id: 's', compact_summary: SUMMARY }],
  ['opencode', 'session.compacted', { session: { id: 's' }, id: 'c', summary: SUMMARY }],
])('%s: the summary of a compaction is stored whole', (harness, hook, payload) => {
  expect(read(harness, hook, payload)).toBe(SUMMARY)
})
