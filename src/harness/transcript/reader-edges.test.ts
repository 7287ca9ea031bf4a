import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asLines, brief, readTranscript } from '../../../test/support/transcripts.ts'
import { readTranscriptFile } from '../transcripts.ts'

async function said(harness: string, records: readonly unknown[]): Promise<readonly string[]> {
  return (await readTranscript(harness, asLines(records))).items.map(brief)
}

describe('Codex', () => {
  const turn = (id: string) => ({ type: 'turn_context', payload: { turn_id: id } })
  const event = (message: string) => ({ type: 'event_msg', payload: { type: 'user_message', message } })
  const item = (text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  })
  const call = (callId: string) => ({
    type: 'response_item',
    payload: { type: 'function_call', call_id: callId, name: 'shell', arguments: '{"command":["ls"]}' },
  })

  test('the same words in two turns are two prompts, though each is written down twice', async () => {
    const again = [item('continue'), event('continue')]
    expect(await said('codex', [turn('t1'), ...again, turn('t2'), ...again])).toEqual([
      'prompt: continue',
      'prompt: continue',
    ])
    // As it was written when turns had no names, and where only one of the two is.
    expect(await said('codex', [...again, ...again, item('yes'), item('yes')])).toEqual([
      'prompt: continue',
      'prompt: continue',
      'prompt: yes',
      'prompt: yes',
    ])
  })

  test('of calls that never got a result the newest are reported as running', async () => {
    const calls = Array.from({ length: 600 }, (_, n) => call(`c${n}`))
    const { items } = await readTranscript('codex', asLines([turn('t1'), ...calls]))
    const ids = items.flatMap((one) =>
      one.type === 'event' && one.event.kind === 'tool-started' ? [one.event.id] : [],
    )
    expect([ids.length, ids[0]?.endsWith('c100'), ids.at(-1)?.endsWith('c599')]).toEqual([500, true, true])
  })
})

test('Gemini CLI: a call that was cancelled did not fail by itself', async () => {
  const toolCalls = [{ id: 'c', name: 'run_shell_command', args: { command: 'sleep 9' }, status: 'cancelled' }]
  const { items } = await readTranscript(
    'gemini-cli',
    asLines([{ sessionId: 's' }, { id: 'm', type: 'gemini', toolCalls }]),
  )
  expect(items).toMatchObject([{ event: { kind: 'tool-finished', outcome: { ok: false, interrupted: true } } }])
})

test('OpenCode: a message that tells no usage says nothing about the context', async () => {
  const info = { role: 'assistant', time: { created: 1_767_225_600_000 } }
  const document = { info: { id: 's', directory: '/p' }, messages: [{ info, parts: [{ type: 'text', text: 'Hm.' }] }] }
  const { items } = await readTranscript('opencode', JSON.stringify(document))
  expect(items.map(brief)).toEqual(['{"kind":"statement","text":"Hm."}'])
})

describe('Claude Code', () => {
  const base = { sessionId: 's', cwd: '/p', timestamp: '2026-01-01T00:00:00.000Z' }
  const user = (content: unknown, more: object = {}) => ({
    ...base,
    type: 'user',
    uuid: `u${JSON.stringify(content).length}`,
    message: { role: 'user', content },
    ...more,
  })
  const queued = (prompt: string, more: object = {}) => ({
    ...base,
    type: 'attachment',
    uuid: `q${prompt.length}`,
    attachment: { type: 'queued_command', prompt },
    ...more,
  })

  test('words that are only shown, or are a subagent’s or the client’s own, are nobody’s prompt', async () => {
    const records = [
      user('Asked.'),
      user('Only shown here.', { isVisibleInTranscriptOnly: true }),
      queued('Typed while it worked.'),
      queued('Of a subagent, queued.', { isSidechain: true }),
      queued('Of the client itself.', { isMeta: true }),
      {
        ...queued('A shell command, queued.'),
        attachment: { type: 'queued_command', prompt: 'ls', commandMode: 'bash' },
      },
    ]
    expect(await said('claude-code', records)).toEqual(['prompt: Asked.', 'prompt: Typed while it worked.'])
  })

  describe('a finished subagent', () => {
    let folder = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'holdfast-subagent-'))
      mkdirSync(join(folder, 's', 'subagents'), { recursive: true })
    })
    afterEach(() => rmSync(folder, { recursive: true, force: true }))

    const tool = { type: 'tool_use', id: 'inner', name: 'Bash', input: { command: 'npm test' } }
    const own = asLines([
      { ...base, type: 'assistant', message: { content: [{ type: 'text', text: 'I look.' }, tool] } },
      { ...base, type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'inner', content: 'ok' }] } },
    ])

    async function readWith(agentId: string, file: string) {
      writeFileSync(join(folder, 's', file), own)
      const agent = { type: 'tool_use', id: 'outer', name: 'Agent', input: {} }
      const result = { status: 'completed', agentId, content: [{ type: 'text', text: 'Done.' }] }
      const path = join(folder, 's.jsonl')
      const records = [
        { ...base, type: 'assistant', message: { content: [agent] } },
        user([{ type: 'tool_result', tool_use_id: 'outer', content: 'Done.' }], { toolUseResult: result }),
      ]
      writeFileSync(path, asLines(records))
      const { items } = await readTranscriptFile(path, 'claude-code')
      return items.map((one) => (one.type === 'note' ? one.note.kind : one.event.kind))
    }

    const around = ['subagent-started', 'subagent-finished', 'tool-finished']

    test('is reported with its events, from the file beside its session’s, and without its statements', async () => {
      expect(await readWith('a1', 'subagents/agent-a1.jsonl')).toEqual(['tool-finished', ...around])
    })

    test('cannot name a file anywhere else', async () => {
      expect(await readWith('x/../../elsewhere', 'elsewhere.jsonl')).toEqual(around)
    })
  })

  test('of a session that is too long, the beginning and the end are returned', async () => {
    const count = 24_600
    const statement = (n: number) => ({
      ...base,
      type: 'assistant',
      message: { content: [{ type: 'text', text: `Number ${n}.` }] },
    })
    const all = await said(
      'claude-code',
      Array.from({ length: count }, (_, n) => statement(n)),
    )
    const text = (n: number) => JSON.stringify({ kind: 'statement', text: `Number ${n}.` })
    expect([all.length, all[0], all[499], all[500], all.at(-1)]).toEqual([
      12_500,
      text(0),
      text(499),
      text(count - 12_000),
      text(count - 1),
    ])
  })
})
