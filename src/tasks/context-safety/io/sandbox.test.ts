import { describe, expect, test } from 'vitest'
import type { ToolCall } from '../../../kernel/event.ts'
import { isReadOnly } from './sandbox.ts'

const shell = (command: string) => isReadOnly({ kind: 'shell', name: 'Bash', command })

describe('in the sandbox', () => {
  test.each([
    'ls -la src',
    'cat src/a.ts',
    'git status --short',
    'git log --oneline -10',
    'rg -n "foo bar" src',
    'head -20 a.txt',
  ])('%s passes', (command) => {
    expect(shell(command)).toBe(true)
  })

  test.each([
    'mcp__holdfast__session_digest',
    'mcp__plugin_holdfast_holdfast__session_digest',
    'mcp_holdfast_session_digest',
    'holdfast_session_digest',
    'holdfast__session_digest',
  ])('our own tool is allowed under the name that each harness gives it: %s', (name) => {
    expect(isReadOnly({ kind: 'mcp', name })).toBe(true)
  })

  test.each([
    'mcp__holdfast__mark_checklist_item',
    'mcp__plugin_holdfast_holdfast__checkpoint_save',
    'holdfast_checkpoint_delete',
    'mcp_holdfast_task_checkpoint',
    'mcp__holdfast__forget',
    'mcp__holdfast__register_project',
    'mcp__holdfast__a_tool_of_a_later_version',
  ])('an own tool that does more than read or save is refused: %s', (name) => {
    expect(isReadOnly({ kind: 'mcp', name })).toBe(false)
    expect(isReadOnly({ kind: 'other', name })).toBe(false)
  })

  test.each(['mcp__other__holdfast__x', 'mcp__holdfastly__x', 'holdfast', 'mcp__holdfast_'])(
    '%s is not ours',
    (name) => {
      expect(isReadOnly({ kind: 'mcp', name })).toBe(false)
    },
  )

  test.each([
    'rm -rf build',
    'cat a > b',
    'cat a | sh',
    'ls; rm a',
    'ls && rm a',
    'ls `rm a`',
    'ls $(rm a)',
    'git commit -m x',
    'git log --output=a',
    'git -c core.pager=x log',
    'git diff --ext-diff',
    'rg --pre ./run x',
    'git diff "--output=a"',
    "git log --out''put=a",
    'rg --hostname-bin ./run --hyperlink-format=default x',
    'tree -ao listing.txt',
    'file -C -m magic',
    'file --comp -m magic',
    'npm test',
    'find . -delete',
    'cat a\nrm b',
    'sed -i s/a/b/ c',
    '',
  ])('%s does not', (command) => {
    expect(shell(command)).toBe(false)
  })

  test('kinds of tools', () => {
    const passes = (kind: ToolCall['kind'], name = 'X') => isReadOnly({ kind, name })
    expect([passes('read'), passes('search'), passes('todo'), passes('mcp', 'mcp__holdfast__session_digest')]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect([passes('edit'), passes('agent'), passes('web'), passes('mcp', 'mcp__db__query'), passes('other')]).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
