import { expect, test } from 'vitest'
import { asLines, brief, readTranscript } from '../../../test/support/transcripts.ts'

test('Codex: a command that continues is one run, reported when it has ended, with all its output', async () => {
  const item = (payload: unknown) => ({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload })
  const call = (call_id: string, name: string, args: unknown) =>
    item({ type: 'function_call', call_id, name, arguments: JSON.stringify(args) })
  const output = (call_id: string, text: string) => item({ type: 'function_call_output', call_id, output: text })
  const { items } = await readTranscript(
    'codex',
    asLines([
      call('c1', 'exec_command', { cmd: 'npm test' }),
      output('c1', 'Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 77\nOutput:\nrunning'),
      call('c2', 'write_stdin', { session_id: 77, chars: '' }),
      output('c2', 'Chunk ID: 2\nProcess running with session ID 77\nOutput:\n, 1 passed'),
      call('c3', 'write_stdin', { session_id: 77, chars: '' }),
      output('c3', 'Chunk ID: 3\nProcess exited with code 1\nOutput:\n, 2 failed'),
      call('c4', 'shell', { command: ['bash', '-lc', "sed -n '1,20p' src/a.ts"] }),
      output('c4', 'Exit code: 0\nOutput:\nx'),
      call('c5', 'exec_command', { cmd: 'npm run dev', workdir: '/elsewhere' }),
      output('c5', 'Process running with session ID 78\nOutput:\nlistening'),
      call('c6', 'write_stdin', { session_id: 78, chars: '' }),
      output('c6', 'aborted by user after 29.7s'),
      call('c7', 'exec_command', { cmd: 'sleep 9' }),
      output('c7', 'aborted by user after 2.0s'),
    ]),
  )
  expect(items.map(brief)).toMatchInlineSnapshot(`
    [
      "{"name":"exec_command","kind":"shell","files":[],"command":"npm test","outcome":{"ok":false,"exitStatus":1,"output":"running, 1 passed, 2 failed"}}",
      "{"name":"shell","kind":"shell","files":[{"path":"src/a.ts","action":"read"}],"command":"sed -n '1,20p' src/a.ts","outcome":{"ok":true,"exitStatus":0,"output":"x"}}",
      "{"name":"exec_command","kind":"shell","files":[],"command":"sleep 9","outcome":{"ok":false,"output":"aborted by user after 2.0s","interrupted":true}}",
      "{"name":"exec_command","kind":"shell","files":[],"command":"npm run dev","cwd":"/elsewhere","isBackground":true,"outcome":{"ok":true,"output":"listening","backgroundId":"78"}}",
    ]
  `)
})

test('Copilot: a command that goes on is one run, over when a shell of it says so or is stopped', async () => {
  const start = (toolCallId: string, toolName: string, args: unknown) => ({
    type: 'tool.execution_start',
    data: { toolCallId, toolName, arguments: args },
  })
  const done = (toolCallId: string, content: string) => ({
    type: 'tool.execution_complete',
    data: { toolCallId, success: true, result: { content } },
  })
  const going = (shell: number) =>
    `<command with shellId: ${shell} is still running after 30 seconds. Use read_bash to continue waiting for output.>`
  const { items } = await readTranscript(
    'copilot',
    asLines([
      start('a', 'bash', { command: 'npm test' }),
      done('a', `one\n${going(1)}`),
      start('b', 'read_bash', { shellId: '1' }),
      done('b', going(1)),
      start('c', 'read_bash', { shellId: '1' }),
      done('c', 'two\n<shellId: 1 completed with exit code 1>'),
      start('d', 'bash', { command: 'npm run dev' }),
      done('d', going(2)),
      start('e', 'stop_bash', { shellId: '2' }),
      done('e', '<command with id: 2 stopped>'),
      start('f', 'bash', { command: 'npm run watch' }),
      done('f', going(3)),
    ]),
  )
  expect(items.map(brief)).toMatchInlineSnapshot(`
    [
      "{"name":"bash","kind":"shell","files":[],"command":"npm test","outcome":{"ok":false,"exitStatus":1,"output":"two\\n"}}",
      "{"name":"bash","kind":"shell","files":[],"command":"npm run dev","outcome":{"ok":false,"interrupted":true}}",
      "{"name":"bash","kind":"shell","files":[],"command":"npm run watch","isBackground":true,"outcome":{"ok":true,"backgroundId":"3"}}",
    ]
  `)
})

test('Codex: names the branch only at the start; a later switch in the same folder counts', async () => {
  const item = (type: string, payload: unknown) => ({ timestamp: '2026-01-01T00:00:00.000Z', type, payload })
  const run = (call_id: string, cmd: string, printed: string) => [
    item('response_item', { type: 'function_call', call_id, name: 'exec_command', arguments: JSON.stringify({ cmd }) }),
    item('response_item', {
      type: 'function_call_output',
      call_id,
      output: `Process exited with code 0\nOutput:\n${printed}`,
    }),
  ]
  const started = item('session_meta', { id: 's1', cwd: '/repo', git: { branch: 'fix/env' } })
  const read = async (...runs: readonly ReturnType<typeof run>[]) =>
    (await readTranscript('codex', asLines([started, ...runs.flat()]))).gitBranch
  expect(await read(run('c1', 'git -C ../other switch dev', "Switched to branch 'dev'"))).toBe('fix/env')
  expect(await read(run('c1', 'git checkout main && git pull', "Switched to branch 'main'\nAlready up to date."))).toBe(
    'main',
  )
})
