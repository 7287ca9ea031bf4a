import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { foldEvent } from './fold.ts'
import { emptyWork } from './state.ts'

function tool(call: Partial<ToolCall>, outcome: Partial<ToolOutcome> = {}) {
  return anEvent('tool-finished', {
    tool: { name: 'Tool', kind: 'other', files: [], ...call },
    outcome: { ok: true, ...outcome },
  })
}

test('a failed step stays with its reason when newer ones follow; others go', () => {
  const tooLarge =
    '<tool_use_error>File content (34278 tokens) exceeds maximum allowed tokens (25000).</tool_use_error>'
  const events = [
    tool({ kind: 'read', files: [{ path: '/repo/big.ts', action: 'read' }] }, { ok: false, output: tooLarge }),
    tool({ kind: 'read', files: [{ path: '/repo/first.ts', action: 'read' }] }),
    ...Array.from({ length: 20 }, (_, at) => tool({ kind: 'shell', command: `echo ${at}` })),
  ]
  const { steps = [] } = events.reduce((state, event) => foldEvent(state, event, { worktree: '/repo' }), emptyWork())
  expect(steps[0]).toMatchObject({
    what: 'big.ts',
    ok: false,
    error: 'File content (34278 tokens) exceeds maximum allowed tokens (25000).',
  })
  expect(steps.map(({ what }) => what)).not.toContain('first.ts')
  expect(steps).toHaveLength(13)
})
