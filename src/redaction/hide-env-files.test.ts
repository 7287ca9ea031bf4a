import { describe, expect, test } from 'vitest'
import { hideEnvFiles } from './env-files.ts'

const base = { session_id: 's', cwd: '/repo', tool_use_id: 't' }
const HELD = 'HORSE=staple\nBATTERY=correct'
const HIDDEN = '[REDACTED:env-file]'

describe('a tool call on an env file', () => {
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

  test('a value without its name is not stored either', () => {
    const tool_input = { file_path: '/repo/.env', old_string: 'staple', new_string: 'correct' }
    expect(hideEnvFiles({ ...base, tool_input })).toEqual({
      ...base,
      tool_input: { file_path: '/repo/.env', old_string: HIDDEN, new_string: HIDDEN },
    })
  })

  test('its name and path stay', () => {
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
])('any other payload is unchanged: %j', (payload) => {
  expect(hideEnvFiles(payload)).toBe(payload)
})
