import { expect, test } from 'vitest'
import { readFailure, readNotice, readSuccess } from './outcomes.ts'
import { readToolCall } from './tools.ts'

const read = (name: string, input: unknown = {}) => readToolCall({ name, input })
const bash = read('Bash', { command: 'npm test' })

test('what a file holds is not kept, what a command or a failure said is', () => {
  const file = { type: 'text', file: { content: 'secret' }, content: 'secret' }
  expect(readSuccess(read('Read', {}), { response: file, input: {} })).toEqual({ ok: true })
  expect(
    readSuccess(read('Bash', {}), { response: { stdout: 'out', stderr: 'err', interrupted: true }, input: {} }),
  ).toEqual({
    ok: true,
    output: 'out\nerr',
    interrupted: true,
  })
  expect(readFailure(read('Edit', {}), '<tool_use_error>String to replace not found</tool_use_error>')).toEqual({
    ok: false,
    output: 'String to replace not found',
  })
  expect(readFailure(read('Bash', {}), 'Exit code 127\nsh: foo: not found', { durationMs: 3 })).toEqual({
    ok: false,
    exitStatus: 127,
    output: 'sh: foo: not found',
    durationMs: 3,
  })
})

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "

test.each([
  [`${REJECTED}STOP what you are doing and wait for the user to tell you how to proceed.`, { by: 'user' }],
  [`${REJECTED}To tell you how to proceed, the user said:\ntoo slow.`, { by: 'user', words: 'too slow.' }],
  [`Error: ${REJECTED}To tell you how to proceed, the user said:\ntoo slow.`, { by: 'user', words: 'too slow.' }],
  [
    `${REJECTED}To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n    This means they may have additional information`,
    { by: 'user' },
  ],
  [
    'Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). The user said:\nask me first',
    { by: 'user', words: 'ask me first' },
  ],
  [
    'The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode rather than proceed with implementation.\n\nRejected plan:\n# A',
    { by: 'user' },
  ],
])('the user’s no is a refusal, with their words: %j', (text, refused) => {
  expect(readFailure(bash, text)).toEqual({ ok: false, refused })
})

test.each([
  'This command requires approval',
  'This Bash command contains multiple operations. The following part requires approval: npm test',
  'Permission to use Bash with command rm -rf / has been denied.',
  'Permission to use Bash has been denied because Claude Code is running in don’t ask mode.',
  "Claude requested permissions to write to /p/a.ts, but you haven't granted it yet.",
  'PreToolUse:Bash hook error: [./guard.sh]: not on main',
  'Permission for this tool use was denied: it requires interactive approval',
  '<tool_use_error>Sibling tool call errored</tool_use_error>',
  '<tool_use_error>Cancelled: parallel tool call Bash(npm test) errored</tool_use_error>',
])('a call that the harness did not let run is refused, not failed: %j', (text) => {
  const output = text.replace(/<\/?tool_use_error>/g, '')
  expect(readFailure(bash, text)).toEqual({ ok: false, output, refused: { by: 'harness' } })
})

test.each([
  'Exit code 1\nPermission denied (publickey)',
  'cat: /etc/shadow: Permission denied',
  '<tool_use_error>String to replace not found in file.</tool_use_error>',
  `${REJECTED}Correction to the text above: this call was stopped while running, not refused before it ran. It may have run in part or in full`,
])('a call that ran and failed is not refused: %j', (text) => {
  expect(readFailure(bash, text).refused).toBeUndefined()
})

test('an answer comes with its question and options, typed notes included', () => {
  const question = 'Where should the warning appear?'
  const asked = { question, header: 'Where', options: [{ label: 'Stop hook' }, { label: 'Prompt hook' }] }
  const answered = (answers: object, annotations?: object) =>
    readSuccess(read('AskUserQuestion'), { response: { questions: [asked], answers, annotations }, input: {} }).answers
  const options = ['Stop hook', 'Prompt hook']
  expect(answered({ [question]: 'Prompt hook' })).toEqual([{ question, options, answer: 'Prompt hook' }])
  expect(answered({ [question]: 'Prompt hook' }, { [question]: { notes: 'only once' } })).toEqual([
    { question, options, answer: 'Prompt hook (only once)' },
  ])
  expect(answered({ [question]: 'neither' }, { [question]: { notes: 'neither' } })).toEqual([
    { question, options, answer: 'neither' },
  ])
  expect(answered({})).toBeUndefined()
})

test('an approved plan is an answer; one for the team lead is not', () => {
  const approved = (response: unknown) => readSuccess(read('ExitPlanMode'), { response, input: {} }).answers
  const question = 'Does the user approve the plan?'
  const options = ['approve', 'stay in plan mode']
  expect(approved({ plan: '# A', isAgent: false })).toEqual([{ question, options, answer: 'approved' }])
  expect(approved('User has approved your plan.\n\n## Approved Plan (edited by user):\n# A')).toEqual([
    { question, options, answer: 'approved, and edited by the user' },
  ])
  expect(approved({ plan: '# A', isAgent: true })).toBeUndefined()
})

test('what goes on in the background has an id until it has ended', () => {
  const started = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' }
  expect(readToolCall({ name: 'Bash', input: { command: 'npm run dev' }, response: started }).isBackground).toBe(true)
  expect(readSuccess(bash, { response: started, input: {} })).toEqual({ ok: true, backgroundId: 'b1' })
  const output = (status: string, exitCode: number | null) =>
    readSuccess(read('TaskOutput'), {
      response: { retrieval_status: 'success', task: { task_id: 'b1', status, output: 'done', exitCode } },
      input: { task_id: 'b1' },
    })
  expect(output('running', null)).toEqual({ ok: true, output: 'done' })
  expect(output('completed', 1)).toEqual({ ok: false, exitStatus: 1, output: 'done', backgroundId: 'b1' })
  expect(readSuccess(read('KillShell'), { response: 'killed', input: { shell_id: 'b1' } })).toEqual({
    ok: true,
    output: 'killed',
    backgroundId: 'b1',
  })
})

test('a notice to the model reports how something in the background ended', () => {
  const notice = (status: string, summary: string) =>
    `<task-notification>\n<task-id>b1</task-id>\n<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>\nRead the output file`
  const failed = 'Background command "Clean up" failed with exit code 1'
  expect(readNotice(notice('failed', failed))).toEqual([
    { id: 'b1', outcome: { ok: false, exitStatus: 1, output: failed, backgroundId: 'b1' } },
  ])
  expect(readNotice(notice('running', 'x'))).toEqual([])
  expect(readNotice('fix the parser')).toEqual([])
  expect(
    readNotice(
      '<teammate-message teammate_id="system">\n{"type":"teammate_terminated","message":"dev-bob has shut down."}\n</teammate-message>',
    ),
  ).toEqual([{ id: 'dev-bob', outcome: { ok: true, backgroundId: 'dev-bob' } }])
})
