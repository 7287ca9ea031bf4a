import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { FileAction, SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { foldEvent } from './fold.ts'
import { emptyWork, parseWork, type WorkState } from './state.ts'
import { toSummary } from '../summary.ts'

const worktree = '/repo'

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree }), emptyWork())
}

function edit(path: string, action: FileAction, more: Partial<ToolCall> = {}, outcome: Partial<ToolOutcome> = {}) {
  return anEvent('tool-finished', {
    tool: { name: 'Edit', kind: 'edit', files: [{ path, action }], ...more },
    outcome: { ok: true, ...outcome },
  })
}

test('edits that succeeded are recorded in their order, a new file with what it defines', () => {
  const state = fold(
    edit('/repo/src/a.ts', 'edited', { fragment: 'export function notNew() {}' }),
    edit('/repo/src/parse.go', 'created', {
      fragment: 'func (p *Parser) Next() {\n}\n\ntype Token struct {\n}\nx := func() {}',
    }),
    edit('/repo/src/b.ts', 'edited', {}, { ok: false, output: 'String to replace not found in file.' }),
    edit('/repo/src/c.ts', 'edited', {}, { ok: false, refused: { by: 'user' } }),
  )
  expect(toSummary(state).edits).toEqual([
    { path: 'src/a.ts', action: 'edited', order: 1 },
    { path: 'src/parse.go', action: 'created', order: 2, defined: ['Next', 'Token'] },
  ])
})

test('the newest sixty stay, and a stored state is read back', () => {
  const state = fold(...Array.from({ length: 70 }, (_, n) => edit(`/repo/src/${n}.ts`, 'edited')))
  expect(state.edits).toHaveLength(60)
  expect(state.edits?.[0]?.path).toBe('src/10.ts')
  expect(parseWork(JSON.stringify(state))).toEqual(state)
  expect(parseWork(JSON.stringify({ ...state, edits: [{ path: 1 }] }))).toEqual(emptyWork())
})

test('a file that the session made and took away again is not a deleted file', () => {
  const files = (before: FileAction) =>
    toSummary(fold(edit('/repo/src/a.ts', before), edit('/repo/src/a.ts', 'deleted'))).files.map(({ action }) => action)
  expect([files('created'), files('edited')]).toEqual([[], ['deleted']])
})

test('the answer of a subagent is part of the dialogue, its receipt is not', () => {
  const report = `The store is read twice because the lock is missing. ${'It was measured in both places. '.repeat(10)}`
  const ask = (output: string) =>
    anEvent('tool-finished', { tool: { name: 'Task', kind: 'agent', files: [] }, outcome: { ok: true, output } })
  const said = (output: string) => toSummary(fold(ask(output))).dialogue?.map(({ kind, speaker }) => [speaker, kind])
  expect([said(report), said('Agent a7f3 was started.')]).toEqual([[['agent', 'report']], []])
})
