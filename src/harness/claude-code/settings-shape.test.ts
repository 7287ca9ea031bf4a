import { expect, test } from 'vitest'
import { findMistyped } from './disabling-setting.ts'

const entry = (fields: object) => ({ hooks: { PreToolUse: [{ hooks: [fields] }] } })

/** Each as Claude Code 2.1.325 itself took it, asked by a hook beside it that ran or did not. */
test.each([
  [{ permissions: 'x' }, 'permissions of a wrong type (object wanted)'],
  [{ permissions: [] }, 'permissions of a wrong type (object wanted)'],
  [{ permissions: { allow: 'x' } }, 'permissions.allow of a wrong type (array wanted)'],
  [
    { permissions: { additionalDirectories: [5] } },
    'permissions.additionalDirectories.0 of a wrong type (string wanted)',
  ],
  [{ env: 'x' }, 'env of a wrong type (object wanted)'],
  [{ model: null }, 'model of a wrong type (string wanted)'],
  [{ disableAllHooks: 'true' }, 'disableAllHooks of a wrong type (boolean wanted)'],
  [{ cleanupPeriodDays: '30' }, 'cleanupPeriodDays of a wrong type (number wanted)'],
  [{ cleanupPeriodDays: 0 }, 'cleanupPeriodDays of a wrong type'],
  [{ statusLine: {} }, 'statusLine.type of a wrong type'],
  [
    { hooks: { PreToolUse: [{ matcher: 5, hooks: [] }] } },
    'hooks.PreToolUse.0.matcher of a wrong type (string wanted)',
  ],
  [{ hooks: { PreToolUse: [{ matcher: 'x' }] } }, 'hooks.PreToolUse.0.hooks of a wrong type (array wanted)'],
  [entry({ command: 'x' }), 'hooks.PreToolUse.0.hooks.0.type of a wrong type (string wanted)'],
  [entry({ type: 'command' }), 'hooks.PreToolUse.0.hooks.0.command of a wrong type (string wanted)'],
  [entry({ type: 'http' }), 'hooks.PreToolUse.0.hooks.0.url of a wrong type (string wanted)'],
  [
    entry({ type: 'command', command: 'x', timeout: '5' }),
    'hooks.PreToolUse.0.hooks.0.timeout of a wrong type (number wanted)',
  ],
])('%j is dropped as a whole', (settings, reason) => {
  expect(findMistyped(settings)).toBe(reason)
})

test.each([
  [{}],
  [{ foo: 5, permissions: { allow: [5], defaultMode: 'plan' }, env: { A: 1, B: null }, enabledMcpjsonServers: 'x' }],
  [{ hooks: { Stop: {}, Foo: 'x', PostToolUse: [{ hooks: 'x' }] } }],
  [entry({ type: 'agent', prompt: 'x', foo: 1 })],
  [entry({ type: 'mcp_tool', server: 'a', tool: 'b' })],
])('%j is read, at most without what is wrong in it', (settings) => {
  expect(findMistyped(settings)).toBeUndefined()
})
