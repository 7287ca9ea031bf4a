import { describe, expect, test } from 'vitest'
import { hideEnvFiles } from './hide-env-files.ts'

const base = { session_id: 's', cwd: '/repo', tool_use_id: 't' }
const HELD = 'HORSE=staple\nBATTERY=correct'
const HIDDEN = '[REDACTED:env-file]'

describe('what a tool did with an env file', () => {
  test.each([
    [{ file_path: '/repo/.env' }, { file: { content: HELD } }, { file: { content: HIDDEN } }],
    [{ file_path: '/repo/.env.local', content: HELD }, 'ok', HIDDEN],
    [{ command: 'cat packages/a/.env | head' }, { stdout: HELD, stderr: '' }, { stdout: HIDDEN, stderr: '' }],
    [{ command: 'git show HEAD:app/.env' }, { stdout: HELD, stderr: '' }, { stdout: HIDDEN, stderr: '' }],
    [{ command: 'cat .env*' }, HELD, HIDDEN],
    [{ filePath: '.env', edits: [{ oldString: 'A=x', newString: 'A=y' }] }, undefined, undefined],
  ])('is not kept: %j', (tool_input, tool_response, shown) => {
    const kept = hideEnvFiles({ ...base, tool_name: 'Tool', tool_input, tool_response })
    expect(kept).toMatchObject({ ...base, tool_name: 'Tool', tool_response: shown })
    expect(JSON.stringify(kept)).not.toMatch(/staple|correct|A=[xy]/)
  })

  test('a value is not kept either that stands there without its name', () => {
    const tool_input = { file_path: '/repo/.env', old_string: 'staple', new_string: 'correct' }
    expect(hideEnvFiles({ ...base, tool_input })).toEqual({
      ...base,
      tool_input: { file_path: '/repo/.env', old_string: HIDDEN, new_string: HIDDEN },
    })
  })

  test('what it is called and where it lies stays', () => {
    expect(hideEnvFiles({ ...base, tool_input: { command: 'cat .env' } })).toEqual({
      ...base,
      tool_input: { command: 'cat .env' },
    })
    expect(hideEnvFiles({ ...base, tool_input: { command: 'echo HORSE=staple >> .env' } })).toEqual({
      ...base,
      tool_input: { command: HIDDEN },
    })
  })
})

test.each([
  { ...base, prompt: 'Put HORSE=staple into .env' },
  { ...base, tool_input: { command: 'ls -a' }, tool_response: { stdout: '.env\nsrc\nA=b' } },
  { ...base, tool_input: { command: 'ls .env*' }, tool_response: { stdout: '.env\nA=b' } },
  { ...base, tool_input: { file_path: '.env.example' }, tool_response: HELD },
  { ...base, tool_input: { file_path: 'a.md', content: 'see .env, A=b' } },
  'no object',
  null,
])('any other payload is left as it is: %j', (payload) => {
  expect(hideEnvFiles(payload)).toBe(payload)
})
