import { expect, test } from 'vitest'
import type { ToolOutcome } from '../../kernel/event.ts'
import { withPullRequest } from './pull-request.ts'

const run = (command: string, outcome: ToolOutcome) => ({
  tool: { name: 'Bash', kind: 'shell' as const, files: [], command },
  outcome,
})
const url = 'https://github.com/acme/shop/pull/184'

test('one that the session opened, by the address that the command printed', () => {
  expect(withPullRequest(undefined, run('gh pr create --draft --title x', { ok: true, output: url }), 7)).toEqual({
    number: 184,
    url,
    order: 7,
  })
})

test.each([
  ['gh pr view --json number,title', '{"number":117,"title":"Fix"}', 117],
  ['gh pr view', 'title:\tFix\nnumber:\t117\nurl:\thttps://github.com/acme/shop/pull/117', 117],
  ['gh pr checkout 227', '', 227],
])('that of the branch: %s', (command, output, number) => {
  expect(withPullRequest(undefined, run(command, { ok: true, output }), 3)).toEqual({ number, order: 3 })
})

test.each([
  ['another one that was looked at', 'gh pr view 99 --json number', { ok: true, output: '{"number":99}' }],
  ['one of another repository', 'gh pr view -R other/repo --json number', { ok: true, output: '{"number":5}' }],
  ['the first of a status', 'gh pr status --json number,title', { ok: true, output: '{"createdBy":[{"number":118}]}' }],
  [
    'an issue that it closes',
    'gh pr view --json closingIssuesReferences',
    { ok: true, output: '{"closes":[{"number":12}]}' },
  ],
  [
    'an issue that was listed before it',
    'gh issue list --json number && gh pr view --json title',
    { ok: true, output: '[{"number":55}]' },
  ],
  ['a refused command', 'gh pr create', { ok: false, output: url, refused: { by: 'user' as const } }],
  ['a command that failed', 'gh pr create', { ok: false, output: `error, see ${url}` }],
  ['a dry run', 'gh pr create --dry-run', { ok: true, output: url }],
])('not %s', (_, command, outcome) => {
  expect(withPullRequest(undefined, run(command, outcome), 3)).toBeUndefined()
})

test('on another branch it is that of the branch before, and one that was opened stays done', () => {
  const go = run('git checkout -b printer', { ok: true, output: "Switched to a new branch 'printer'" })
  expect(withPullRequest({ number: 117, order: 3 }, go, 4)).toBeUndefined()
  expect(withPullRequest({ number: 184, url, order: 7 }, go, 8)).toEqual({ number: 184, url, isLeft: true, order: 7 })
  expect(withPullRequest({ number: 117, order: 3 }, run('git checkout -- src/a.ts', { ok: true }), 4)).toEqual({
    number: 117,
    order: 3,
  })
})

test('the opened one stays when the same is viewed later', () => {
  const opened = { number: 184, url, order: 7 }
  expect(withPullRequest(opened, run('gh pr view --json number', { ok: true, output: '{"number":184}' }), 9)).toBe(
    opened,
  )
})
