import { expect, test } from 'vitest'
import type { ToolOutcome } from '../event.ts'
import { foldRun } from './fold-run.ts'
import { emptyWork, type WorkState } from './state.ts'

function run(state: WorkState, command: string, outcome: Partial<ToolOutcome>): WorkState {
  const next = { ...state, order: state.order + 1 }
  return foldRun(next, { name: 'Bash', kind: 'shell', files: [], command }, { ok: true, ...outcome })
}

const outcomeOf = (state: WorkState) =>
  state.commands.map(({ command, ok, runs, failures, lastOrder }) => ({ command, ok, runs, failures, lastOrder }))

test('a command that somebody stopped neither failed nor went well', () => {
  const stopped = run(emptyWork(), 'npm run dev', { ok: false, interrupted: true, output: 'Error: closed' })
  expect([outcomeOf(stopped), stopped.errors]).toEqual([
    [{ command: 'npm run dev', ok: true, runs: 1, failures: 0, lastOrder: 1 }],
    [],
  ])
})

test('what it was before it was stopped, it still is', () => {
  const failed = run(emptyWork(), 'npm test', { ok: false, exitStatus: 1, output: 'TypeError: x is not a function' })
  const stopped = run(failed, 'npm test', { ok: false, interrupted: true })
  expect([outcomeOf(stopped), stopped.tests, stopped.errors]).toEqual([
    [{ command: 'npm test', ok: false, runs: 2, failures: 1, lastOrder: 2 }],
    failed.tests,
    failed.errors,
  ])
})
