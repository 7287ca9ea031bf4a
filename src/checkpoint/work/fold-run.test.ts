import { expect, test } from 'vitest'
import type { ToolOutcome } from '../../kernel/event.ts'
import { foldRun } from './fold-run.ts'
import { emptyWork, type WorkState } from './state.ts'

function run(state: WorkState, command: string, outcome: Partial<ToolOutcome>): WorkState {
  const next = { ...state, order: state.order + 1 }
  const tool = { name: 'Bash', kind: 'shell', files: [], command } as const
  return foldRun(next, { tool, outcome: { ok: true, ...outcome } }, { worktree: '/repo', cwd: '/repo' })
}

const outcomeOf = (state: WorkState) =>
  state.commands.map(({ command, ok, runs, failures, lastOrder }) => ({ command, ok, runs, failures, lastOrder }))

test('a command that the user stopped neither failed nor succeeded', () => {
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

test("one package's tests are not another's: its green run takes nothing back there", () => {
  const red = run(emptyWork(), 'cd packages/a && npm test', {
    ok: false,
    exitStatus: 1,
    output: 'TypeError: x is not a function',
  })
  const green = run(red, 'cd /repo/packages/b && npm test', {})
  expect(green.commands.map(({ command, ok }) => [command, ok])).toEqual([
    ['(cd packages/a && npm test)', false],
    ['(cd packages/b && npm test)', true],
  ])
  expect(green.tests.map(({ command, status }) => [command, status])).toEqual([
    ['(cd packages/a && npm test)', 'failing'],
    ['(cd packages/b && npm test)', 'passing'],
  ])
  expect(green.errors.map(({ resolution }) => resolution)).toEqual([undefined])
})

test('a folder counts for what belongs to it: not the root itself, not what finds its project from anywhere', () => {
  const state = run(emptyWork(), 'cd /repo && npm test; cd packages/a && git push && mise run lint', {})
  expect(state.commands.map(({ command }) => command)).toEqual(['npm test', 'git push', 'mise run lint'])
})

test('what was refused did not run', () => {
  const refused = run(emptyWork(), 'npm test', { ok: false, output: 'Error: rejected', refused: { by: 'user' } })
  expect([refused.commands, refused.tests, refused.errors, refused.checks]).toEqual([[], [], [], undefined])
})

test('a green run of a wider check takes back the failures of a narrower one', () => {
  const red = run(emptyWork(), 'go test ./a/b', { ok: false, exitStatus: 1, output: '--- FAIL: TestX (0.00s)' })
  const green = run(red, 'go test ./...', { output: 'ok  \tx/a/b\t0.1s' })
  expect(green.tests.map(({ command, status }) => [command, status])).toEqual([['go test ./...', 'passing']])
})

test('failures in a row are identical ones: another failing test is progress', () => {
  const red = (name: string, passed: number) => ({
    ok: false,
    exitStatus: 1,
    output: `--- FAIL: ${name} (0.1s)\nError: page has been closed\n${passed} passed, 1 failed`,
  })
  const moving = ['TestOpen', 'TestShare', 'TestClose'].reduce(
    (state, name, at) => run(state, 'go test ./e2e', red(name, at)),
    emptyWork(),
  )
  expect(moving.failedApproaches).toEqual([])
  const stuck = [1, 2, 3].reduce((state) => run(state, 'go test ./e2e', red('TestOpen', 1)), emptyWork())
  expect(stuck.failedApproaches).toHaveLength(1)
})

test('a push that git refused failed behind a pipe too; a commit with nothing to commit is not a failure', () => {
  const refused = ' ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs'
  const pushed = run(emptyWork(), 'git push 2>&1 | tail -3', { output: refused })
  const empty = run(pushed, 'git add -A && git commit -m x', {
    ok: false,
    output: 'nothing to commit, working tree clean',
  })
  expect(empty.commands.map(({ command, ok }) => [command, ok])).toEqual([
    ['git push', false],
    ['git add -A', true],
    ['git commit -m x', true],
  ])
})

test.each([
  ['git checkout -- lint.ts', 1],
  ['git checkout HEAD -- src/lint.ts src/rules.ts', 1],
  ['git restore lint.ts', 1],
  ['git checkout -- src/a.ts', 2],
  ['git checkout -- .', 2],
  ['git restore --source HEAD~2 lint.ts', 2],
  ['git checkout main', 2],
])('after `%s` the code is that of order %i', (command, order) => {
  const edited = { path: 'src/a.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 1, lastEditOrder: 1 } as const
  const state = { ...emptyWork(), order: 1, files: [edited], lastEditOrder: 1 }
  expect(run(state, command, {}).lastEditOrder).toBe(order)
})

test('a program that is missing in front of a command did not run it', () => {
  const state = run(emptyWork(), 'timeout 15 npm run dev || true', { output: 'zsh: command not found: timeout' })
  expect(outcomeOf(state)).toEqual([])
})

test('a command that was stopped from outside did not fail', () => {
  const killed = { ok: false, exitStatus: 143, output: 'ready in 301 ms' }
  const state = run(emptyWork(), 'npx astro dev', killed)
  // Nor did it succeed: a command that never ended is not known as one that succeeded.
  expect([outcomeOf(state), state.errors]).toEqual([[], []])
  expect(outcomeOf(run(run(emptyWork(), 'npx astro dev', {}), 'npx astro dev', killed))).toEqual([
    { command: 'npx astro dev', ok: true, runs: 2, failures: 0, lastOrder: 2 },
  ])
})
