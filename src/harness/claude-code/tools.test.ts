import { expect, test } from 'vitest'
import { readToolCall } from './tools.ts'

const read = (name: string, input: unknown, response?: unknown) => readToolCall({ name, input, response })

test.each([
  ['Read', { file_path: '/p/a.ts' }, { name: 'Read', kind: 'read', files: [{ path: '/p/a.ts', action: 'read' }] }],
  [
    'MultiEdit',
    {
      file_path: '/p/a.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: 'c', new_string: 'd' },
      ],
    },
    { name: 'MultiEdit', kind: 'edit', files: [{ path: '/p/a.ts', action: 'edited' }], fragment: 'a\nb\nc\nd' },
  ],
  [
    'NotebookEdit',
    { notebook_path: '/p/n.ipynb', new_source: 'x' },
    { name: 'NotebookEdit', kind: 'edit', files: [{ path: '/p/n.ipynb', action: 'edited' }], fragment: 'x' },
  ],
  ['ExitPlanMode', { plan: '# Do it' }, { name: 'ExitPlanMode', kind: 'other', files: [], plan: '# Do it' }],
  [
    'Write',
    { file_path: '/u/.claude/plans/red-fox.md', content: '# Do it' },
    {
      name: 'Write',
      kind: 'edit',
      files: [{ path: '/u/.claude/plans/red-fox.md', action: 'edited' }],
      fragment: '# Do it',
      plan: '# Do it',
    },
  ],
  ['Grep', { pattern: 'foo', path: 'src' }, { name: 'Grep', kind: 'search', files: [], query: 'foo' }],
  ['LS', { path: 'src' }, { name: 'LS', kind: 'search', files: [], query: 'src' }],
  [
    'WebFetch',
    { url: 'https://x.test', prompt: 'p' },
    { name: 'WebFetch', kind: 'web', files: [], query: 'https://x.test' },
  ],
  ['Skill', { skill: 'review' }, { name: 'Skill', kind: 'other', files: [], description: 'review' }],
  [
    'Bash',
    { command: "cd x && cat a.ts 'b c.ts' | head -5 && sed -n 1,9p d.ts; cat $HOME/e.ts" },
    {
      name: 'Bash',
      kind: 'shell',
      files: [
        { path: 'a.ts', action: 'read' },
        { path: 'd.ts', action: 'read' },
      ],
      command: "cd x && cat a.ts 'b c.ts' | head -5 && sed -n 1,9p d.ts; cat $HOME/e.ts",
    },
  ],
  ['constructor', null, { name: 'constructor', kind: 'other', files: [] }],
])('%s reads as what it does', (name, input, expected) => {
  expect(read(name, input)).toEqual(expected)
})

test('a written file was created only when the harness says so', () => {
  expect(read('Write', { file_path: '/p/a.ts' }, { type: 'create' }).files).toEqual([
    { path: '/p/a.ts', action: 'created' },
  ])
  expect(read('Write', { file_path: '/p/a.ts' }, { type: 'update' }).files).toEqual([
    { path: '/p/a.ts', action: 'edited' },
  ])
})

test('a path that is too long or holds a NUL is left out rather than cut', () => {
  expect(read('Read', { file_path: `/${'a'.repeat(2_000)}` }).files).toEqual([])
  expect(read('Read', { file_path: '/a\0b' }).files).toEqual([])
})

test('a search in an env file names the file, so that its lines are not kept', () => {
  expect(read('Grep', { pattern: 'DB_', path: '/app/.env' }).files).toEqual([{ path: '/app/.env', action: 'read' }])
  expect(read('Grep', { pattern: 'DB_', path: '/app/src' }).files).toEqual([])
})
