import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectors } from '../harness/registry.ts'
import { findBudgetMs, findStartBudgetMs, HOOK_BUDGETS } from './budget.ts'

const launcher = readFileSync(join(import.meta.dirname, 'launcher.sh'), 'utf8')
const rows = HOOK_BUDGETS.map(
  ({ patterns, budgetMs, waitMs }) => `  ${patterns.join(' | ')}) budget_ms=${budgetMs} wait_ms=${waitMs} ;;\n`,
)
const branches = `case $hook in\n${rows.join('')}esac\n`

test('the launcher has the same table', () => {
  expect(launcher).toContain(branches)
})

test.skipIf(process.platform === 'win32')('shell and TypeScript give every hook the same budget', () => {
  const hooks = [
    ...connectors.flatMap((connector) => connector.hooks.map(({ hook }) => hook)),
    'typist.session-started.boot',
  ]
  const script = `for hook do ${branches} echo "$budget_ms"; done`
  const printed = execFileSync('/bin/sh', ['-c', script, 'sh', ...hooks], { encoding: 'utf8' })
  expect(printed.trim().split('\n').map(Number)).toEqual(hooks.map((hook) => findBudgetMs(hook)))
})

test.each([
  ['SessionStart', 500, true],
  ['sessionStart', 500, true],
  ['session_start', 500, true],
  ['session-started', 500, true],
  ['typist.session-started.boot', 500, true],
  ['PreCompact', 500, false],
  ['UserPromptSubmit', 250, false],
  ['before_prompt_build', 250, false],
  ['PostToolUse', 300, false],
])('%s has %i ms', (hook, budgetMs, awaitsStart) => {
  expect(findBudgetMs(hook)).toBe(budgetMs)
  expect(findStartBudgetMs(hook)).toBe(awaitsStart ? 1_500 : undefined)
})

test('the budget of the environment counts where it is a plain number', () => {
  expect(findBudgetMs('Stop', '1200')).toBe(1_200)
  expect(findBudgetMs('Stop', '012')).toBe(300)
})
