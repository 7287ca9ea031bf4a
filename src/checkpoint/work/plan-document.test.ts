import { expect, test } from 'vitest'
import type { ToolCall } from '../../kernel/event.ts'
import { planDocument } from './plan.ts'

const reading = (...paths: readonly string[]): ToolCall => ({
  name: 'Read',
  kind: 'read',
  files: paths.map((path) => ({ path, action: 'read' })),
})
const shell = (command: string, ...paths: readonly string[]): ToolCall => ({
  ...reading(...paths),
  kind: 'shell',
  command,
})

test.each([
  'docs/story-1.md',
  '/repo/TODO.md',
  'specs/001-login/tasks.md',
  '.kiro/specs/x/tasks.md',
  'C:\\repo\\plan.md',
  'TODO',
  'notes.txt',
])('%s can lay out the work of a session', (path) => {
  expect(planDocument(reading(path))).toEqual({ file: path })
})

test.each([
  'README.md',
  'packages/a/readme.de.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'CLAUDE.md',
  '.github/pull_request_template.md',
  '.github\\PULL_REQUEST_TEMPLATE\\feature.md',
  'docs/story-template.md',
  '/home/me/.claude/skills/spec/reference.md',
  '.specify/templates/tasks.md',
  'src/markdown.test.ts',
])('%s is read in passing', (path) => {
  expect(planDocument(reading(path))).toBeUndefined()
})

test('of several files the one that can lay out work is named', () => {
  expect(planDocument(shell('cat src/a.ts TODO.md', 'src/a.ts', 'TODO.md'))).toEqual({ file: 'TODO.md' })
})

test('an issue in a command’s output has no file; lines of a search or of the history are not a plan', () => {
  expect(planDocument(shell('gh issue view 12'))).toEqual({})
  expect([planDocument(shell('rg "todo" docs')), planDocument(shell('git show HEAD'))]).toEqual([undefined, undefined])
})
