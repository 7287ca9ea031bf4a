import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asLines, brief, readTranscript } from '../../../test/support/transcripts.ts'
import { harnesses } from '../registry.ts'
import { readTranscriptFile } from '../transcripts.ts'

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

test('a recorded Codex session with a compaction', async () => {
  const { items, ...facts } = await readTranscriptFile(fixture('codex-autocompact@0.166.0.jsonl'), 'codex')
  expect({ facts, items: items.map(brief) }).toMatchInlineSnapshot(`
    {
      "facts": {
        "cwd": "/home/dev/proj",
        "isTail": false,
      },
      "items": [
        "prompt: scripted",
        "{"name":"exec_command","kind":"shell","files":[],"command":"echo hi-codex","outcome":{"ok":true,"exitStatus":0,"output":"hi-codex\\n"}}",
        "{"name":"mcp__continuity__ping","kind":"mcp","files":[],"outcome":{"ok":true,"output":"pong {\\"text\\":\\"yo\\"}"}}",
        "{"kind":"statement","text":"CODEX-DONE"}",
        "turn-ended",
        "prompt: resume scripted",
        "{"name":"exec_command","kind":"shell","files":[],"command":"echo hi-2","outcome":{"ok":true,"exitStatus":0,"output":"hi-2\\n"}}",
        "{"kind":"statement","text":"<summary>\\nFAKE-SUMMARY: 1. Primary request: exercise hooks. 2. Pending: none. 3. Next step: none.\\n</summary>"}",
        "compaction-finished",
        "{"name":"exec_command","kind":"shell","files":[],"command":"echo hi-2","outcome":{"ok":true,"exitStatus":0,"output":"hi-2\\n"}}",
        "{"kind":"statement","text":"<summary>\\nFAKE-SUMMARY: 1. Primary request: exercise hooks. 2. Pending: none. 3. Next step: none.\\n</summary>"}",
        "compaction-finished",
        "{"kind":"context-measured","contextTokens":6109,"windowTokens":95000,"model":"fake-model"}",
      ],
    }
  `)
})

test('a recorded Gemini CLI session: growing records count once, hook context is nobody’s words', async () => {
  const { items, ...facts } = await readTranscriptFile(fixture('gemini-cli-session@0.61.0.jsonl'), 'gemini-cli')
  expect({ facts, items: items.map(brief) }).toMatchInlineSnapshot(`
    {
      "facts": {
        "isTail": false,
        "sessionKey": "ebbd49b6-d998-4535-9ccf-4c9c9f78e94f",
      },
      "items": [
        "prompt: scripted",
        "{"name":"run_shell_command","kind":"shell","files":[],"command":"echo hi-gem","description":"e","outcome":{"ok":true,"output":"hi-gem"}}",
        "{"name":"mcp_continuity_ping","kind":"mcp","files":[],"outcome":{"ok":true,"output":"pong {\\"text\\":\\"yo\\"}"}}",
        "{"kind":"statement","text":"GEM-DONE"}",
        "prompt: resume",
        "{"name":"run_shell_command","kind":"shell","files":[],"command":"exit 3","description":"e","outcome":{"ok":false,"exitStatus":3,"output":"Command exited with code: 3"}}",
        "compaction-finished",
        "{"kind":"summary-shown","text":"<state_snapshot><overall_goal>FAKE-SUMMARY</overall_goal></state_snapshot>"}",
        "prompt: resume",
        "{"kind":"statement","text":"GEM2"}",
        "turn-ended",
        "{"kind":"context-measured","contextTokens":900025,"model":"gemini-3.8-flash"}",
      ],
    }
  `)
})

const PATCH =
  '*** Begin Patch\n*** Add File: src/new.ts\n+export const a = 1\n*** Update File: src/old.ts\n@@\n-x\n+y\n*** Delete File: gone.ts\n*** End Patch'

test('OpenCode: an exported session', async () => {
  const part = (fields: object) => ({ id: 'REDACTED', ...fields })
  const document = {
    info: { id: 'ses_1', directory: '/p', version: '1.18.33', time: { created: 1_700_000_000_000 } },
    messages: [
      {
        info: { id: 'm1', role: 'user', time: { created: 1_700_000_001_000 } },
        parts: [part({ type: 'text', text: 'fix it' }), part({ type: 'text', text: 'ours', synthetic: true })],
      },
      {
        info: {
          id: 'm2',
          role: 'assistant',
          modelID: 'gpt',
          tokens: { input: 100, output: 5, reasoning: 1, cache: { read: 50, write: 2 } },
        },
        parts: [
          part({
            type: 'tool',
            tool: 'read',
            state: { status: 'completed', input: { filePath: '/p/a.ts' }, output: 'secret content' },
          }),
          part({
            type: 'tool',
            tool: 'bash',
            state: {
              status: 'completed',
              input: { command: 'npm test', description: 'Run tests' },
              output: '1 failed',
              metadata: { exit: 1 },
            },
          }),
          part({ type: 'tool', tool: 'apply_patch', state: { status: 'completed', input: { patchText: PATCH } } }),
          part({
            type: 'tool',
            tool: 'todowrite',
            state: { status: 'completed', input: { todos: [{ id: '1', content: 'a', status: 'pending' }] } },
          }),
          part({
            type: 'tool',
            tool: 'edit',
            state: {
              status: 'error',
              input: { filePath: '/p/a.ts', oldString: 'x', newString: 'y' },
              error: 'not found',
            },
          }),
          part({ type: 'tool', tool: 'bash', state: { status: 'running', input: { command: 'sleep 9' } } }),
          part({ type: 'text', text: 'done' }),
          part({ type: 'compaction' }),
        ],
      },
    ],
  }
  const { items, ...facts } = await readTranscript('opencode', JSON.stringify(document, undefined, 2))
  expect({ facts, items: items.map(brief) }).toMatchInlineSnapshot(`
    {
      "facts": {
        "cwd": "/p",
        "isTail": false,
        "sessionKey": "ses_1",
      },
      "items": [
        "prompt: fix it",
        "{"name":"read","kind":"read","files":[{"path":"/p/a.ts","action":"read"}],"outcome":{"ok":true}}",
        "{"name":"bash","kind":"shell","files":[],"command":"npm test","description":"Run tests","outcome":{"ok":false,"exitStatus":1,"output":"1 failed"}}",
        "{"name":"apply_patch","kind":"edit","files":[{"path":"src/new.ts","action":"created"},{"path":"src/old.ts","action":"edited"},{"path":"gone.ts","action":"deleted"}],"fragment":"*** Begin Patch\\n*** Add File: src/new.ts\\n+export const a = 1\\n*** Update File: src/old.ts\\n@@\\n-x\\n+y\\n*** Delete File: gone.ts\\n*** End Patch","outcome":{"ok":true}}",
        "{"name":"todowrite","kind":"todo","files":[],"todo":{"kind":"list","todos":[{"id":"1","text":"a","status":"pending"}]},"outcome":{"ok":true}}",
        "{"name":"edit","kind":"edit","files":[{"path":"/p/a.ts","action":"edited"}],"fragment":"x\\ny","outcome":{"ok":false,"output":"not found"}}",
        "{"kind":"statement","text":"done"}",
        "compaction-finished",
        "{"started":"bash","command":"sleep 9"}",
        "{"kind":"context-measured","contextTokens":158,"model":"gpt"}",
      ],
    }
  `)
})

test('Copilot CLI: an event file', async () => {
  const { items, ...facts } = await readTranscript(
    'copilot',
    asLines([
      {
        type: 'session.start',
        id: 'e0',
        timestamp: '2026-01-01T00:00:00.000Z',
        data: { sessionId: 's1', copilotVersion: '1.0.64', context: { cwd: '/p', branch: 'main' } },
      },
      {
        type: 'user.message',
        id: 'e1',
        data: { content: 'fix it', transformedContent: '<reminder>x</reminder>fix it' },
      },
      { type: 'assistant.message', id: 'e2', data: { content: 'on it' } },
      {
        type: 'tool.execution_start',
        id: 'e3',
        data: { toolCallId: 't1', toolName: 'bash', arguments: { command: 'npm test', description: 'Run tests' } },
      },
      {
        type: 'tool.execution_complete',
        id: 'e4',
        data: { toolCallId: 't1', success: true, result: { content: '1 failed\n<exited with exit code 1>' } },
      },
      {
        type: 'tool.execution_start',
        id: 'e5',
        data: { toolCallId: 't2', toolName: 'edit', arguments: { path: '/p/a.ts', old_str: 'x', new_str: 'y' } },
      },
      {
        type: 'tool.execution_complete',
        id: 'e6',
        data: { toolCallId: 't2', success: true, result: { content: 'ok' } },
      },
      { type: 'session.compaction_complete', id: 'e7', data: { summaryContent: 'so far' } },
      {
        type: 'tool.execution_start',
        id: 'e8',
        data: { toolCallId: 't3', toolName: 'view', arguments: { path: '/p/b.ts' } },
      },
    ]),
  )
  expect({ facts, items: items.map(brief) }).toMatchInlineSnapshot(`
    {
      "facts": {
        "cwd": "/p",
        "gitBranch": "main",
        "isTail": false,
        "sessionKey": "s1",
      },
      "items": [
        "prompt: fix it",
        "{"kind":"statement","text":"on it"}",
        "{"name":"bash","kind":"shell","files":[],"command":"npm test","description":"Run tests","outcome":{"ok":false,"exitStatus":1,"output":"1 failed\\n"}}",
        "{"name":"edit","kind":"edit","files":[{"path":"/p/a.ts","action":"edited"}],"fragment":"x\\ny","outcome":{"ok":true}}",
        "compaction-finished",
        "{"kind":"summary-shown","text":"so far"}",
        "{"started":"view"}",
      ],
    }
  `)
})

test('Gemini CLI: the single document of older versions', async () => {
  const { items } = await readTranscript(
    'gemini-cli',
    JSON.stringify({
      sessionId: 'g1',
      messages: [
        { id: '1', type: 'user', content: 'fix it' },
        {
          id: '2',
          type: 'gemini',
          content: 'ok',
          toolCalls: [
            {
              id: 'c1',
              name: 'replace',
              status: 'success',
              args: { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
            },
          ],
        },
      ],
    }),
  )
  expect(items.map(brief)).toMatchInlineSnapshot(`
    [
      "prompt: fix it",
      "{"kind":"statement","text":"ok"}",
      "{"name":"replace","kind":"edit","files":[{"path":"a.ts","action":"edited"}],"fragment":"x\\ny","outcome":{"ok":true}}",
    ]
  `)
})

test('a document that is not a transcript is refused', async () => {
  await expect(readTranscript('opencode', 'not json')).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(readTranscript('opencode', '[1]')).rejects.toMatchObject({ code: 'invalid-input' })
})

test('property: no reader throws, whatever its records hold', () => {
  const names = [
    'type',
    'payload',
    'data',
    'message',
    'info',
    'parts',
    'content',
    'role',
    'call_id',
    'toolCallId',
    'toolCalls',
    'state',
    'arguments',
    'attachment',
    '$set',
    'messages',
    'id',
    'text',
    'status',
    'timestamp',
    'subtype',
    'toolUseResult',
    'tool_use_id',
  ]
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      'user',
      'assistant',
      'tool',
      'text',
      'response_item',
      'function_call',
      'function_call_output',
      'tool.execution_start',
      'tool.execution_complete',
      'user.message',
      'gemini',
      'tool_use',
      'tool_result',
      'system',
      'compact_boundary',
    ),
  )
  const { record } = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('record'), fc.array(tie('record'), { maxLength: 2 })),
    record: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
  }))
  fc.assert(
    fc.property(fc.array(record, { maxLength: 4 }), (records) => {
      for (const { transcript } of harnesses)
        for (const mode of ['live', 'history'] as const) {
          const reader = transcript?.createReader({ mode })
          if (reader === undefined) continue
          for (const one of records) {
            reader.prime(one)
            reader.read(one)
          }
          reader.end()
          reader.facts()
        }
    }),
    { numRuns: 300 },
  )
})
