import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import { renderAdvice } from './advice.ts'

const checkpoint = aCheckpointOf(
  {
    asks: [{ text: 'Split the parser into a lexer and a grammar.', at: '', order: 1 }],
    files: [{ path: 'src/lexer.ts', action: 'created', reads: 0, edits: 3, lastOrder: 9 }],
    todos: [{ text: 'Make line numbers survive', status: 'in_progress' }],
    tests: [{ name: 'keeps line numbers', status: 'failing', command: 'npm test', lastOrder: 9 }],
    decisions: [{ decision: 'No parser generator', evidence: 'observed', lastOrder: 3 }],
  },
  { nextAction: 'Run npm test' },
)

test('tells the summariser what must survive', () => {
  expect(renderAdvice(checkpoint, 1_000)).toMatchInlineSnapshot(`
    "Keep in the summary:
    - the user's ask: "Split the parser into a lexer and a grammar."
    - the next action: Run npm test
    - open todos: Make line numbers survive
    - files being changed: src/lexer.ts
    - still failing: keeps line numbers
    - decided: No parser generator"
  `)
})

test('keeps to its budget, in whole lines, and is silent when nothing is known', () => {
  fc.assert(fc.property(fc.nat(800), (budget) => renderAdvice(checkpoint, budget).length <= budget))
  expect(renderAdvice(aCheckpointOf({}), 1_000)).toBe('')
})
