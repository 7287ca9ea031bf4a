import { expect, test } from 'vitest'
import { asLines, readTranscript } from '../../test/support/transcripts.ts'
import { foldEvent } from '../checkpoint/work/fold.ts'
import { emptyWork } from '../checkpoint/work/state.ts'

/** What happened to one call: `refused` by the user, with or without words. */
type Ending = 'ok' | 'failed' | 'refused' | 'nothing'

interface Step {
  readonly edit?: string
  readonly command?: string
  readonly ending: Ending
}

const STEPS: readonly Step[] = [
  { edit: '/p/edited.ts', ending: 'ok' },
  { edit: '/p/failed.ts', ending: 'failed' },
  { edit: '/p/refused.ts', ending: 'refused' },
  { command: 'rm deleted.ts', ending: 'ok' },
  { command: 'grep -n foo searched.ts', ending: 'nothing' },
  { command: 'npm run build', ending: 'ok' },
  { command: 'npm test', ending: 'refused' },
]

const timestamp = '2026-01-01T00:00:00.000Z'

function claudeCode({ edit, command, ending }: Step, index: number): readonly unknown[] {
  const id = `t${index}`
  const texts = {
    ok: 'done',
    failed: '<tool_use_error>String to replace not found in file.</tool_use_error>',
    refused:
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\ntoo slow",
    nothing: 'Exit code 1',
  }
  const [name, input] =
    edit === undefined ? ['Bash', { command }] : ['Edit', { file_path: edit, old_string: 'a', new_string: 'b' }]
  const block = { type: 'tool_result', tool_use_id: id, content: texts[ending], is_error: ending !== 'ok' }
  return [
    {
      type: 'assistant',
      sessionId: 's',
      uuid: `a${index}`,
      timestamp,
      message: { content: [{ type: 'tool_use', id, name, input }] },
    },
    { type: 'user', sessionId: 's', uuid: `u${index}`, timestamp, message: { content: [block] } },
  ]
}

function codex({ edit, command, ending }: Step, index: number): readonly unknown[] {
  const call_id = `c${index}`
  const texts = {
    ok: 'Process exited with code 0\nOutput:\ndone',
    failed: 'apply_patch verification failed: Failed to find expected lines',
    refused: edit === undefined ? 'exec command rejected by user' : 'patch rejected by user',
    nothing: 'Process exited with code 1\nOutput:\n',
  }
  const item = (payload: unknown) => ({ timestamp, type: 'response_item', payload })
  const patch = `*** Begin Patch\n*** Update File: ${edit}\n@@\n-a\n+b\n*** End Patch`
  return edit === undefined
    ? [
        item({ type: 'function_call', call_id, name: 'exec_command', arguments: JSON.stringify({ cmd: command }) }),
        item({ type: 'function_call_output', call_id, output: texts[ending] }),
      ]
    : [
        item({ type: 'custom_tool_call', call_id, name: 'apply_patch', input: patch }),
        item({ type: 'custom_tool_call_output', call_id, output: texts[ending] }),
      ]
}

function gemini({ edit, command, ending }: Step, index: number): unknown {
  const responses = {
    ok: { output: 'done' },
    failed: { error: 'Failed to edit, could not find the string to replace.' },
    refused: { error: '[Operation Cancelled] Reason: User denied execution.' },
    nothing: { output: 'Exit Code: 1' },
  }
  const status = { ok: 'success', failed: 'error', refused: 'cancelled', nothing: 'success' }[ending]
  return {
    id: `g${index}`,
    name: edit === undefined ? 'run_shell_command' : 'replace',
    args: edit === undefined ? { command } : { file_path: edit, old_string: 'a', new_string: 'b' },
    status,
    result: [{ functionResponse: { response: responses[ending] } }],
  }
}

function openCode({ edit, command, ending }: Step, index: number): unknown {
  const input = edit === undefined ? { command } : { filePath: edit, oldString: 'a', newString: 'b' }
  const states = {
    ok: { status: 'completed', output: 'done', metadata: { exit: 0 } },
    failed: { status: 'error', error: 'Error: oldString not found in content' },
    refused: { status: 'error', error: 'The user rejected permission to use this specific tool call.' },
    nothing: { status: 'completed', output: '', metadata: { exit: 1 } },
  }
  const tool = edit === undefined ? 'bash' : 'edit'
  return { type: 'tool', id: `p${index}`, callID: `o${index}`, tool, state: { input, ...states[ending] } }
}

const TRANSCRIPTS = {
  'claude-code': asLines(STEPS.flatMap(claudeCode)),
  codex: asLines([{ timestamp, type: 'session_meta', payload: { id: 's', cwd: '/p' } }, ...STEPS.flatMap(codex)]),
  'gemini-cli': JSON.stringify({
    sessionId: 's',
    projectHash: 'p',
    messages: [{ id: 'm1', timestamp, type: 'gemini', content: '', toolCalls: STEPS.map(gemini) }],
  }),
  opencode: JSON.stringify({
    info: { id: 's', directory: '/p' },
    messages: [{ info: { role: 'assistant' }, parts: STEPS.map(openCode) }],
  }),
} as const

test.each(Object.entries(TRANSCRIPTS))(
  '%s: a failed or refused edit is not an edit, a deleted file not an edited one, a fruitless search no reading, a refused command no run',
  async (harness, text) => {
    const { items } = await readTranscript(harness, text)
    const events = items.flatMap((item) => (item.type === 'event' ? [{ ...item.event, cwd: '/p' }] : []))
    const work = events.reduce((state, event) => foldEvent(state, event, { worktree: '/p' }), emptyWork())
    expect(work.files.map(({ path, action, edits }) => ({ path, action, edits }))).toEqual([
      { path: 'edited.ts', action: 'edited', edits: 1 },
      { path: 'failed.ts', action: 'read', edits: 0 },
      { path: 'deleted.ts', action: 'deleted', edits: 1 },
    ])
    expect(work.commands.map(({ command, ok }) => ({ command, ok }))).toEqual([{ command: 'npm run build', ok: true }])
    expect(work.errors).toEqual([])
  },
)
