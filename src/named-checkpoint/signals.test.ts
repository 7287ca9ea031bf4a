import { expect, test } from 'vitest'
import type { SessionEvent } from '../kernel/event.ts'
import { EventId, SessionKey } from '../kernel/id.ts'
import { findSignal } from './autosave.ts'

const base = {
  id: EventId('e'),
  harness: 'claude-code',
  sessionKey: SessionKey('s'),
  at: '2026-01-01T00:00:00.000Z',
  door: 'hook',
} as const
const prompt = (text: string): SessionEvent => ({ ...base, kind: 'prompt-submitted', prompt: text })
const shell = (command: string): SessionEvent => ({
  ...base,
  kind: 'tool-started',
  tool: { name: 'Bash', kind: 'shell', files: [], command },
})

test.each([
  'goodnight',
  'Good night!',
  '晚安',
  'ok thanks, 明天见',
  'logout',
  '/exit',
  'bye',
  "that's it for today",
  "let's continue tomorrow",
  'pause',
  'going to bed, see you tomorrow',
  '下次继续吧',
  '退出',
])('%j is a farewell', (said) => {
  expect(findSignal(prompt(said))?.kind).toBe('close-words')
})

test.each([
  'Fix the logout button',
  'why does it exit with 1?',
  'Add a "tomorrow" filter to the calendar',
  'continue',
  'do that later in the pipeline, after the parser ran',
  `goodnight is the title of a page ${'and so on '.repeat(10)}`,
  '',
])('%j is none', (said) => {
  expect(findSignal(prompt(said))).toBeUndefined()
})

test.each([
  [{ ...base, kind: 'compaction-started', trigger: 'auto' }, 'compaction'],
  [{ ...base, kind: 'session-ended', reason: 'exit' }, 'session-end'],
  [{ ...base, kind: 'turn-ended', lastMessage: 'I am running out of context here.' }, 'context'],
  [prompt('<summary>what was done</summary>'), 'context'],
  [shell('docker build -t app .'), 'long-operation'],
  [shell('npm ci && npm run build'), 'long-operation'],
] satisfies [SessionEvent, string][])('%j is a signal', (event, kind) => {
  expect(findSignal(event)?.kind).toBe(kind)
})

test.each([
  shell('git status'),
  shell('ls build'),
  { ...base, kind: 'turn-ended', lastMessage: 'The output was truncated.' },
  { ...base, kind: 'session-ended', reason: 'exit', subagent: { id: 'a' } },
  { ...base, kind: 'session-started', source: 'startup' },
] satisfies SessionEvent[])('%j is none', (event) => {
  expect(findSignal(event)).toBeUndefined()
})
