import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TranscriptItem } from '../../kernel/event.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import { readEvent } from './events.ts'
import type { JsonObject } from '../../kernel/json-shape.ts'
import { parseLine } from '../transcript/append-log.ts'
import { createClaudeCodeReader } from './transcript.ts'
import type { ReadingMode } from '../contract/transcript-format.ts'

const recorded = readFileSync(
  join(import.meta.dirname, '..', 'transcript', 'fixtures', 'claude-code-autocompact@2.1.325.jsonl'),
  'utf8',
)
  .split('\n')
  .flatMap((line) => {
    const record = parseLine(line)
    return record === undefined ? [] : [record]
  })

function readAll(records: readonly JsonObject[], mode: ReadingMode): readonly TranscriptItem[] {
  const reader = createClaudeCodeReader({ mode, sessionKey: SessionKey('s1') })
  return [...records.flatMap((record) => reader.read(record)), ...reader.end()]
}

const eventsOf = (items: readonly TranscriptItem[]) =>
  items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
const notesOf = (items: readonly TranscriptItem[]) => items.flatMap((item) => (item.type === 'note' ? [item.note] : []))

const at = '2026-11-15T12:00:00.000Z'
const user = (content: unknown, more: JsonObject = {}) => ({
  type: 'user',
  uuid: 'u1',
  timestamp: at,
  message: { content },
  ...more,
})
const assistant = (content: unknown, more: JsonObject = {}) => ({
  type: 'assistant',
  timestamp: at,
  message: { id: 'm1', model: 'opus', content },
  ...more,
})
const call = (id: string, name: string, input: unknown) => assistant([{ type: 'tool_use', id, name, input }])
const result = (id: string, content: unknown, more: JsonObject = {}, is_error = false) =>
  user([{ type: 'tool_result', tool_use_id: id, content, is_error }], more)

test('hooks and transcript give the same fact the same id', () => {
  const arrival = { id: EventId('arrival'), at, door: 'hook' as const }
  const sessionKey = SessionKey('f66aa3d9-c26e-4d01-839c-d2d6af8908e2')
  const reader = createClaudeCodeReader({ mode: 'live', sessionKey })
  const fromTranscript = recorded.flatMap((record) => eventsOf(reader.read(record)))
  const fromHooks = [
    readEvent(
      'UserPromptSubmit',
      { session_id: sessionKey, prompt: 'auto compact test', prompt_id: '37c04f16-5809-4b20-8da4-e5924b78e539' },
      arrival,
    ),
    ...['toolu_mwi4t6bo4vrd00001fake', 'toolu_mwi4t6bo4vrd00004fake'].map((tool_use_id) =>
      readEvent('PostToolUse', { session_id: sessionKey, tool_name: 'Bash', tool_input: {}, tool_use_id }, arrival),
    ),
  ]
  expect(fromTranscript.map((event) => event.id)).toEqual(fromHooks.map((event) => event?.id))
})

test('beside hooks, facts that hooks know by no key are left to them', () => {
  const records = [
    user('an old prompt without an id'),
    {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b1',
      timestamp: at,
      compactMetadata: { trigger: 'auto', preTokens: 9, postTokens: 3 },
    },
    call('t1', 'Bash', { command: 'sleep 100' }),
  ]
  expect(eventsOf(readAll(records, 'live'))).toEqual([])
  expect(eventsOf(readAll(records, 'history')).map((event) => event.kind)).toEqual([
    'prompt-submitted',
    'compaction-finished',
    'tool-started',
  ])
  // What has no result when the context is compacted never gets one.
  const before = readAll([call('t0', 'Bash', { command: 'sleep 100' }), ...records.slice(1, 2)], 'history')
  expect(eventsOf(before).map((event) => event.kind)).toEqual(['compaction-finished'])
})

test('usage of one response is counted once, whatever number of lines it takes, and only on the main thread', () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 4 }
  const line = (more: JsonObject, over: JsonObject = {}) => ({
    type: 'assistant',
    timestamp: at,
    message: { id: 'm1', model: 'opus', content: [], usage, ...over },
    ...more,
  })
  const items = readAll(
    [
      line({}),
      line({}),
      line({ isSidechain: true, agentId: 'a1' }, { usage: { input_tokens: 5_000 } }),
      line({ isApiErrorMessage: true }, { usage: { input_tokens: 0, output_tokens: 0 } }),
      line({}, { model: '<synthetic>', usage: { input_tokens: 0 } }),
    ],
    'live',
  )
  expect(items).toEqual([{ type: 'note', note: { kind: 'context-measured', contextTokens: 244, model: 'opus' } }])
})

test('after a compaction the context is what the boundary says until the next response', () => {
  const items = readAll(
    [
      assistant([], { message: { id: 'm1', model: 'opus', content: [], usage: { input_tokens: 180_000 } } }),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b1',
        timestamp: at,
        compactMetadata: { postTokens: 2_842 },
      },
    ],
    'live',
  )
  expect(notesOf(items)).toEqual([{ kind: 'context-measured', contextTokens: 2_842, model: 'opus' }])
})

test('a compaction summary is shown, not asked', () => {
  const items = readAll(
    [user('This session is being continued …', { isCompactSummary: true, promptId: 'p1' })],
    'history',
  )
  expect(items).toEqual([{ type: 'note', note: { kind: 'summary-shown', text: 'This session is being continued …' } }])
})

test('what hooks said, reminders and machine records are nobody’s words', () => {
  const records = [
    {
      type: 'attachment',
      uuid: 'x',
      attachment: { type: 'hook_additional_context', content: ['## Session Recovery Context'] },
    },
    { type: 'attachment', uuid: 'y', attachment: { type: 'hook_success', stdout: '{"hookSpecificOutput":{}}' } },
    user('Caveat', { isMeta: true, promptId: 'p1' }),
    user('<system-reminder>\nSessionStart hook additional context: x\n</system-reminder>', { promptId: 'p2' }),
    user('[Request interrupted by user]', { promptId: 'p3' }),
    { type: 'last-prompt', lastPrompt: 'fix it' },
    { type: 'queue-operation', operation: 'enqueue', content: '{"task_id":"b1","description":"x"}' },
    { type: 'queue-operation', operation: 'enqueue', content: 'fix it' },
  ]
  expect(readAll(records, 'history')).toEqual([])
})

const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, timestamp: at, content })
const promptsOf = (items: readonly TranscriptItem[]) =>
  eventsOf(items).flatMap((event) =>
    event.kind === 'prompt-submitted' ? [`${event.isQueued === true ? 'queued: ' : ''}${event.prompt}`] : [],
  )
const shown = {
  type: 'attachment',
  uuid: 'q1',
  timestamp: at,
  attachment: { type: 'queued_command', prompt: 'also the docs', commandMode: 'prompt', origin: { kind: 'human' } },
}

test.each([
  ['shown to the agent', [shown]],
  ['recorded as added, shown and removed', [queue('enqueue', 'also the docs'), shown, queue('remove')]],
  ['only recorded as added and removed, before 2.1', [queue('enqueue', 'also the docs'), queue('remove')]],
  [
    'taken as the next prompt',
    [queue('enqueue', 'also the docs'), assistant([]), queue('dequeue'), user('also the docs', { promptId: 'p' })],
  ],
  ['still waiting when the session ended', [queue('enqueue', 'also the docs')]],
])('a prompt typed while the agent worked counts once, and as such: %s', (_how, records) => {
  expect(promptsOf(readAll([call('t1', 'Bash', {}), ...records], 'live'))).toEqual(['queued: also the docs'])
  expect(promptsOf(readAll([call('t1', 'Bash', {}), ...records], 'history'))).toEqual(['queued: also the docs'])
})

test('a prompt that did not have to wait is not a queued one, nor is one that the user took back', () => {
  const first = [queue('enqueue', 'fix it'), queue('dequeue'), user('fix it', { promptId: 'p' })]
  expect(promptsOf(readAll(first, 'live'))).toEqual(['fix it'])
  expect(promptsOf(readAll([queue('enqueue', 'fix it'), queue('popAll')], 'live'))).toEqual([])
})

test('a queued message has the same id however it is recorded', () => {
  const id = (records: readonly JsonObject[]) => eventsOf(readAll(records, 'live')).map((event) => event.id)
  expect(id([shown])).toEqual(id([queue('enqueue', 'also the docs'), queue('remove')]))
})

test('what the user types when allowing a call is theirs', () => {
  const allowed = user([
    { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
    { type: 'text', text: 'and make sure this is tested' },
  ])
  expect(promptsOf(readAll([call('t1', 'Bash', {}), allowed], 'live'))).toEqual([
    'queued: and make sure this is tested',
  ])
})

test('a slash command comes with what it stands for, and with the arguments as typed', () => {
  const typed = user(
    '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>phase 14</command-args>',
  )
  const body = 'You are a reviewer. '.repeat(6).trim()
  const meta = user([{ type: 'text', text: `Base directory for this skill: /s\n\n${body}\n\nARGUMENTS: phase 14` }], {
    isMeta: true,
  })
  expect(eventsOf(readAll([typed, meta], 'history'))).toMatchObject([{ prompt: '/review phase 14', expansion: body }])
  const [alone] = eventsOf(readAll([typed, assistant([])], 'history'))
  expect(alone).toMatchObject({ prompt: '/review phase 14' })
  expect(alone).not.toHaveProperty('expansion')
  expect(eventsOf(readAll([typed], 'history'))).toHaveLength(1)
})

test('the end of something in the background is an event, and once however often it is recorded', () => {
  const notice =
    '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>done (exit code 0)</summary>\n</task-notification>'
  const [end, ...others] = eventsOf(readAll([queue('enqueue', notice), user(notice, { promptId: 'p' })], 'live'))
  expect(end).toMatchObject({
    id: 'claude-code/s1/tool-finished/bg-b1',
    outcome: { ok: true, exitStatus: 0, backgroundId: 'b1' },
  })
  expect(others).toEqual([])
  const payload = { session_id: 's1', hook_event_name: 'UserPromptSubmit', source: 'system', prompt: notice }
  expect(readEvent('UserPromptSubmit', payload, { id: EventId('e'), at, door: 'hook' })?.id).toBe(end?.id)
})

test('a failed command keeps its exit status and what it said', () => {
  const items = readAll(
    [call('t1', 'Bash', { command: 'npm test' }), result('t1', 'Exit code 2\n1 failing', {}, true)],
    'live',
  )
  expect(eventsOf(items)).toMatchObject([
    {
      kind: 'tool-finished',
      tool: { command: 'npm test' },
      outcome: { ok: false, exitStatus: 2, output: '1 failing' },
    },
  ])
})

test('a call that the user refused never ran, and has their words', () => {
  const refusal =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the other file"
  const items = readAll([call('t1', 'Edit', { file_path: '/p/a.ts' }), result('t1', refusal, {}, true)], 'live')
  expect(eventsOf(items)).toMatchObject([
    { kind: 'tool-finished', outcome: { ok: false, refused: { by: 'user', words: 'use the other file' } } },
  ])
})

test('todo lists come through in each of their shapes', () => {
  const items = readAll(
    [
      call('t1', 'TodoWrite', { todos: [{ content: 'a', status: 'in_progress', activeForm: 'doing a' }] }),
      result('t1', 'ok', { toolUseResult: { newTodos: [] } }),
      call('t2', 'TaskCreate', { subject: 'b', description: 'long' }),
      result('t2', 'Task #7 created successfully: b'),
      call('t3', 'TaskUpdate', { taskId: '7', status: 'completed' }),
      result('t3', 'Updated task #7 status', { toolUseResult: { success: true } }),
    ],
    'live',
  )
  expect(eventsOf(items).map((event) => (event.kind === 'tool-finished' ? event.tool.todo : event.kind))).toEqual([
    { kind: 'list', todos: [{ text: 'a', status: 'in_progress' }] },
    { kind: 'add', id: '7', text: 'b' },
    { kind: 'change', id: '7', status: 'completed' },
  ])
})

test('a subagent’s work is marked, and its statements are not the agent’s', () => {
  const inside = { isSidechain: true, agentId: 'a1' }
  const items = readAll(
    [
      user('do the sub task', inside),
      { ...assistant([{ type: 'text', text: 'I am a subagent' }]), ...inside },
      { ...call('t1', 'Bash', { command: 'ls' }), ...inside },
      { ...result('t1', 'x'), ...inside },
    ],
    'history',
  )
  expect(items).toMatchObject([{ type: 'event', event: { kind: 'tool-finished', subagent: { id: 'a1' } } }])
})

test('an agent call’s result says that its subagent began and finished', () => {
  const done = { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'SUB-DONE' }] }
  const items = readAll(
    [
      call('t1', 'Agent', { subagent_type: 'Explore', description: 'look' }),
      result('t1', 'SUB-DONE', { toolUseResult: done }),
    ],
    'live',
  )
  expect(eventsOf(items).map(({ id, kind, subagent }) => ({ id, kind, subagent }))).toEqual([
    { id: 'claude-code/s1/subagent-started/a1', kind: 'subagent-started', subagent: { id: 'a1', type: 'Explore' } },
    { id: 'claude-code/s1/subagent-finished/a1', kind: 'subagent-finished', subagent: { id: 'a1', type: 'Explore' } },
    { id: 'claude-code/s1/tool-finished/t1', kind: 'tool-finished', subagent: undefined },
  ])
})

test('no record, however odd, makes it throw', () => {
  const odd = [null, 7, 'x', [], {}, { type: 'text' }, [null], [{ type: 'tool_use' }], [{ type: 'tool_result' }]]
  const records = odd.flatMap((content) => [
    user(content),
    assistant(content),
    { type: 'user' },
    { type: 'assistant', message: content },
    { type: 'system', subtype: 'compact_boundary', compactMetadata: content },
  ])
  expect(() => readAll(records, 'history')).not.toThrow()
})
