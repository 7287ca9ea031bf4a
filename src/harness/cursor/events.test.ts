import { describe, expect, test } from 'vitest'
import { EventId } from '../../kernel/id.ts'
import { claudeCode } from '../claude-code/index.ts'
import type { Arrival } from '../contract/connector.ts'
import { cursor } from './index.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
/** Built from the field names in the code of @cursor/sdk 1.0.32: the IDE needs a login and was not recorded. */
const base = {
  conversation_id: 'conv-1',
  generation_id: 'gen-1',
  session_id: 'conv-1',
  cursor_version: '3.1.0',
  workspace_roots: ['/home/dev/proj'],
  model: 'some-model',
}
const read = (hook: string, fields: object) => cursor.readEvent(hook, { ...base, ...fields }, arrival)

describe('what Cursor tells', () => {
  test('a start, in the workspace and the version it is of', () => {
    expect(read('sessionStart', {})).toEqual({
      kind: 'session-started',
      id: arrival.id,
      harness: 'cursor',
      harnessVersion: '3.1.0',
      sessionKey: 'conv-1',
      at: arrival.at,
      door: 'hook',
      cwd: '/home/dev/proj',
      source: 'startup',
      model: 'some-model',
    })
  })

  test('a prompt, a command with its status, an edit, a failure, the last words, the end', () => {
    const shell = { tool_name: 'Shell', tool_use_id: 't1', tool_input: { command: 'npm test' } }
    const events = [
      read('beforeSubmitPrompt', { prompt: 'Fix it.' }),
      read('postToolUse', { ...shell, tool_output: '{"output":"boom","exitCode":1}', duration: 12 }),
      read('postToolUse', { tool_name: 'Write', tool_use_id: 't2', tool_input: '{"file_path":"a.ts","content":"x"}' }),
      read('postToolUseFailure', { ...shell, tool_use_id: 't3', error_message: 'denied' }),
      read('afterAgentResponse', { text: 'Done.' }),
      read('sessionEnd', { reason: 'user_close' }),
    ]
    expect(events).toMatchObject([
      { kind: 'prompt-submitted', prompt: 'Fix it.', promptId: 'gen-1' },
      {
        tool: { kind: 'shell', command: 'npm test' },
        outcome: { ok: false, exitStatus: 1, output: 'boom', durationMs: 12 },
      },
      { tool: { kind: 'edit', files: [{ path: 'a.ts', action: 'edited' }] }, outcome: { ok: true } },
      { outcome: { ok: false, output: 'denied' } },
      { kind: 'turn-ended', lastMessage: 'Done.' },
      { kind: 'session-ended', reason: 'exit' },
    ])
  })
})

describe('traps', () => {
  test("Cursor also runs Claude Code's hooks: their events are reported once, by Cursor's own", () => {
    const payload = { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'Fix it.' }
    expect(claudeCode.readEvent('UserPromptSubmit', payload, arrival)).toBeUndefined()
    expect(read('beforeSubmitPrompt', { prompt: 'Fix it.' })).toMatchObject({ kind: 'prompt-submitted' })
  })

  test('a user’s and a project’s entry for the same hook tell one fact', () => {
    const tell = () => read('postToolUse', { tool_name: 'Shell', tool_use_id: 't1', tool_input: { command: 'ls' } })?.id
    expect(tell()).toBe('cursor/conv-1/tool-finished/t1')
    expect(tell()).toBe(tell())
    expect(read('stop', {})?.id).toBe(read('afterAgentResponse', { text: 'Done.' })?.id)
  })

  test('no hook after a compaction: a second entry before it says that the session goes on', () => {
    expect(read('preCompact', { trigger: 'manual' })).toMatchObject({ kind: 'compaction-started', trigger: 'manual' })
    expect(read('afterCompact', {})).toMatchObject({ kind: 'session-started', source: 'compact' })
  })

  test('how full the context is stands in preCompact alone: what would be old a moment later is not kept', () => {
    expect(read('preCompact', { context_tokens: 180_000, context_window_size: 200_000 })?.context).toBeUndefined()
  })

  test('a tool is refused before it runs, and a prompt stopped', () => {
    expect(cursor.writeRefusal?.('preToolUse', 'No.')).toBe(
      '{"permission":"deny","user_message":"No.","agent_message":"No."}',
    )
    expect(cursor.writeRefusal?.('postToolUse', 'No.')).toBeUndefined()
    expect(cursor.writeStop?.('beforeSubmitPrompt', 'No.')).toBe('{"continue":false,"user_message":"No."}')
  })

  test('injected text is JSON in the field that the SDK reads', () => {
    expect(cursor.writeInjection('beforeSubmitPrompt', 'Where you were')).toBe(
      '{"additional_context":"Where you were"}',
    )
    expect(cursor.writeInjection('preCompact', 'Where you were')).toBeUndefined()
  })
})
