import { describe, expect, test } from 'vitest'
import { asLines, readTranscript } from '../../../test/support/transcripts.ts'
import type { TranscriptItem } from '../../kernel/event.ts'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { getConnector } from '../registry.ts'

const arrival: Arrival = { id: EventId('r1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
const timestamp = '2026-01-01T00:00:00.000Z'

function outcomesOf(items: readonly TranscriptItem[]) {
  return items.flatMap((item) =>
    item.type === 'event' && item.event.kind === 'tool-finished' ? [item.event.outcome] : [],
  )
}

function promptsOf(items: readonly TranscriptItem[]) {
  return items.flatMap((item) => {
    if (item.type !== 'event' || item.event.kind !== 'prompt-submitted') return []
    const { prompt, isQueued, expansion } = item.event
    return [{ prompt, ...(isQueued && { isQueued }), ...(expansion !== undefined && { expansion }) }]
  })
}

const turnsOf = (items: readonly TranscriptItem[]) =>
  items.flatMap((item) => (item.type === 'event' && item.event.kind === 'turn-ended' ? [item.event.lastMessage] : []))

const question = 'Which port?'
const options = ['3000', '8080']

describe('Codex', () => {
  const item = (payload: unknown) => ({ timestamp, type: 'response_item', payload })
  const event = (payload: unknown) => ({ timestamp, type: 'event_msg', payload })
  const call = (call_id: string, name: string, args: unknown) =>
    item({ type: 'function_call', call_id, name, arguments: JSON.stringify(args) })
  const output = (call_id: string, text: string) => item({ type: 'function_call_output', call_id, output: text })
  const read = async (records: readonly unknown[]) => (await readTranscript('codex', asLines(records))).items

  test.each([
    ['exec command rejected by user', { by: 'user' }],
    ['user denied this command with a reason: wait for review', { by: 'user', words: 'wait for review' }],
    ['patch rejected: writing outside of the project; rejected by user approval settings', { by: 'harness' }],
    ['rejected: blocked by policy', { by: 'harness' }],
    ['Command blocked by PreToolUse hook: not on main', { by: 'harness' }],
    ['sandbox denied exec error, exit code: 2, stdout: , stderr: Operation not permitted', { by: 'harness' }],
  ])('a call that did not run is refused: %s', async (text, refused) => {
    const [outcome] = outcomesOf(await read([call('c1', 'exec_command', { cmd: 'npm test' }), output('c1', text)]))
    expect(outcome).toEqual({ ok: false, ...(refused.by === 'harness' && { output: text }), refused })
    const payload = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_response: text }
    const hook = getConnector('codex').readEvent('PostToolUse', payload, arrival)
    expect(hook?.kind === 'tool-finished' ? hook.outcome : hook).toEqual(outcome)
  })

  test('a command that ran and prints such words is not', async () => {
    const text = 'Process exited with code 1\nOutput:\nexec command rejected by user'
    const [outcome] = outcomesOf(await read([call('c1', 'exec_command', { cmd: 'x' }), output('c1', text)]))
    expect(outcome?.refused).toBeUndefined()
  })

  test('answers come with their question and options', async () => {
    const questions = [{ id: 'q1', header: 'Port', question, options: options.map((label) => ({ label })) }]
    const given = JSON.stringify({ answers: { q1: { answers: ['8080', 'user_note: the other is taken'] } } })
    const items = await read([call('c1', 'request_user_input', { questions }), output('c1', given)])
    expect(outcomesOf(items)[0]?.answers).toEqual([{ question, options, answer: '8080, the other is taken' }])
  })

  test('a message in a turn that is under way is queued, a skill is an expansion, and a turn has its last message', async () => {
    const said = (text: string) => item({ type: 'message', role: 'assistant', content: [{ text }] })
    const typed = (text: string) => item({ type: 'message', role: 'user', content: [{ text }] })
    const skill = '<skill>\n<name>w</name>\n<path>/s/SKILL.md</path>\n---\nname: w\n---\nUse worktrees.\n</skill>'
    const items = await read([
      event({ type: 'task_started' }),
      typed('do it $w'),
      event({ type: 'user_message', message: 'do it $w' }),
      typed(skill),
      said('On it.'),
      typed('and the docs'),
      said('Done.'),
      event({ type: 'task_complete', turn_id: 't1', last_agent_message: 'Done.' }),
      event({ type: 'task_started' }),
      typed('next'),
      said('I stop'),
      event({ type: 'turn_aborted' }),
      typed('go on'),
    ])
    expect(promptsOf(items)).toEqual([
      { prompt: 'do it $w', expansion: 'Use worktrees.' },
      { prompt: 'and the docs', isQueued: true },
      { prompt: 'next' },
      { prompt: 'go on' },
    ])
    expect(turnsOf(items)).toEqual(['Done.'])
  })
})

describe('Gemini CLI', () => {
  const read = async (calls: readonly unknown[]) => {
    const messages = [{ id: 'm1', timestamp, type: 'gemini', content: '', toolCalls: calls }]
    return (await readTranscript('gemini-cli', JSON.stringify({ sessionId: 's', projectHash: 'p', messages }))).items
  }
  const call = (name: string, args: unknown, response: object, status: string) => ({
    id: `${name}-1`,
    name,
    args,
    status,
    result: [{ functionResponse: { response } }],
  })

  test.each([
    ['[Operation Cancelled] Reason: User denied execution.', 'cancelled', { by: 'user' }],
    ['Tool execution denied by policy.', 'error', { by: 'harness' }],
    [
      'Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.',
      'error',
      { by: 'harness' },
    ],
  ])('a call that did not run is refused: %s', async (error, status, refused) => {
    const [outcome] = outcomesOf(await read([call('run_shell_command', { command: 'npm test' }, { error }, status)]))
    expect(outcome).toEqual({ ok: false, ...(refused.by === 'harness' && { output: error }), refused })
    const payload = { session_id: 's', tool_name: 'run_shell_command', tool_input: {}, tool_response: { error } }
    const hook = getConnector('gemini-cli').readEvent('AfterTool', payload, arrival)
    expect(hook?.kind === 'tool-finished' ? hook.outcome.refused : hook).toEqual(refused)
  })

  test('answers, and a plan that was rejected with words', async () => {
    const asked = { questions: [{ question, header: 'Port', options: options.map((label) => ({ label })) }] }
    const items = await read([
      call('ask_user', asked, { output: JSON.stringify({ answers: { 0: '8080' } }) }, 'success'),
      call('exit_plan_mode', {}, { output: 'Plan approved. Switching to Default mode.' }, 'success'),
      call(
        'exit_plan',
        {},
        { output: 'Plan rejected. User feedback: no new files\n\nThe plan is stored at: x' },
        'success',
      ),
    ])
    expect(outcomesOf(items).map(({ answers, refused }) => answers?.[0]?.answer ?? refused)).toEqual([
      '8080',
      'approved',
      { by: 'user', words: 'no new files' },
    ])
  })
})

describe('OpenCode', () => {
  const read = async (parts: readonly unknown[], info: object = {}) => {
    const messages = [{ info: { role: 'assistant', ...info }, parts }]
    return (await readTranscript('opencode', JSON.stringify({ info: { id: 's', directory: '/p' }, messages }))).items
  }
  const tool = (name: string, state: object) => ({ type: 'tool', id: 'p1', callID: 'c1', tool: name, state })

  test.each([
    ['The user rejected permission to use this specific tool call.', { by: 'user' }],
    [
      'The user rejected permission to use this specific tool call with the following feedback: use pnpm',
      { by: 'user', words: 'use pnpm' },
    ],
    [
      'The user has specified a rule which prevents you from using this specific tool call. Relevant rules: []',
      { by: 'harness' },
    ],
  ])('a call that did not run is refused: %s', async (error, refused) => {
    const state = { status: 'error', input: { command: 'npm test' }, error }
    const [outcome] = outcomesOf(await read([tool('bash', state)]))
    expect(outcome?.refused).toEqual(refused)
    const part = { type: 'tool', tool: 'bash', callID: 'c1', state }
    const payload = { input: { event: { properties: { sessionID: 's', part } } }, output: {} }
    const hook = getConnector('opencode').readEvent('message.part.updated', payload, arrival)
    expect(hook?.kind === 'tool-finished' ? hook.outcome : hook).toEqual(outcome)
  })

  test('answers, a slash command with what it stands for, and the last message of a turn', async () => {
    const input = { questions: [{ question, header: 'Port', options: options.map((label) => ({ label })) }] }
    const answered = { status: 'completed', input, output: 'User has answered', metadata: { answers: [['8080']] } }
    expect(outcomesOf(await read([tool('question', answered)]))[0]?.answers).toEqual([
      { question, options, answer: '8080' },
    ])
    const subtask = { type: 'subtask', id: 'p2', prompt: 'You are a reviewer.', command: 'review', description: 'x' }
    expect(promptsOf(await read([subtask], { role: 'user' }))).toEqual([
      { prompt: '/review', expansion: 'You are a reviewer.' },
    ])
    const text = { type: 'text', id: 'p3', text: 'Done.' }
    expect(turnsOf(await read([text], { id: 'm1', finish: 'stop' }))).toEqual(['Done.'])
    expect(turnsOf(await read([text], { id: 'm1', finish: 'tool-calls' }))).toEqual([])
  })
})

describe('Copilot CLI', () => {
  const record = (type: string, data: object) => ({
    type,
    data,
    id: `${type}-${JSON.stringify(data).length}`,
    timestamp,
  })
  const read = async (records: readonly unknown[]) => {
    const start = record('session.start', { sessionId: 's', context: { cwd: '/p' } })
    return (await readTranscript('copilot', asLines([start, ...records]))).items
  }

  test.each([
    [
      { kind: 'denied-interactively-by-user', feedback: 'not now' },
      { by: 'user', words: 'not now' },
    ],
    [{ kind: 'denied-by-rules' }, { by: 'harness' }],
    [{ kind: 'approved' }, undefined],
  ])('a call is refused if its permission was: %j', async (result, refused) => {
    const items = await read([
      record('tool.execution_start', { toolCallId: 'c1', toolName: 'bash', arguments: { command: 'npm test' } }),
      record('permission.completed', { toolCallId: 'c1', result }),
      record('tool.execution_complete', { toolCallId: 'c1', success: false, error: { message: 'failed' } }),
    ])
    expect(outcomesOf(items)[0]?.refused).toEqual(refused)
  })

  test('answers, messages sent while it worked, and the last message of a turn', async () => {
    const items = await read([
      record('user.message', { content: 'do it' }),
      record('assistant.message', { content: 'Which?', toolRequests: [{}] }),
      record('tool.execution_start', {
        toolCallId: 'c1',
        toolName: 'ask_user',
        arguments: { question, choices: options },
      }),
      record('tool.execution_complete', {
        toolCallId: 'c1',
        success: true,
        result: { content: 'User selected: 8080' },
      }),
      record('user.message', { content: 'and the docs' }),
      record('assistant.message', { content: 'Done.', toolRequests: [] }),
      record('user.message', { content: 'thanks' }),
    ])
    expect(outcomesOf(items)[0]?.answers).toEqual([{ question, options, answer: '8080' }])
    expect(promptsOf(items)).toEqual([
      { prompt: 'do it' },
      { prompt: 'and the docs', isQueued: true },
      { prompt: 'thanks' },
    ])
    expect(turnsOf(items)).toEqual(['Done.'])
  })
})
