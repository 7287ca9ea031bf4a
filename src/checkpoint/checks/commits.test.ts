import { expect, test } from 'vitest'
import type { ToolOutcome } from '../../kernel/event.ts'
import { type CommitState, withCommits } from './commits.ts'

function after(...runs: readonly (readonly [string, string, Partial<ToolOutcome>?])[]): CommitState {
  return runs.reduce<CommitState>(
    (state, [command, output, outcome], at) =>
      withCommits(
        state,
        { tool: { name: 'Bash', kind: 'shell', files: [], command }, outcome: { ok: true, output, ...outcome } },
        at + 1,
      ),
    { commits: [] },
  )
}

const MADE = '[main 1a2b3c4] Fix the parser\n 1 file changed, 2 insertions(+)'

test('a commit is what git printed, or what a quiet one was given', () => {
  expect(after(['git add -A && git commit -m "x"', MADE], ['git commit -qm "Printer"', '']).commits).toEqual([
    { subject: 'Fix the parser', hash: '1a2b3c4', order: 1 },
    { subject: 'Printer', order: 2 },
  ])
})

test('a failed, refused or trial commit is none', () => {
  const none = after(
    ['git commit -m "x"', 'nothing to commit, working tree clean', { ok: false }],
    ['git commit -m "x"', 'pre-commit hook failed', { ok: false }],
    ['git commit -m "x"', '', { ok: false, refused: { by: 'user' } }],
    ['cd /tmp/try && git init && git commit -m x', '[main (root-commit) 1a2b3c4] x'],
  )
  expect(none).toEqual({ commits: [] })
})

test('an amend replaces, a reset takes back, a push marks', () => {
  expect(after(['git commit -m x', MADE], ['git commit --amend -m y', '[main 9f8e7d6] y']).commits).toEqual([
    { subject: 'y', hash: '9f8e7d6', order: 2 },
  ])
  expect(after(['git commit -m x', MADE], ['git reset --soft HEAD~1', '']).commits).toEqual([])
  expect(
    after(['git commit -m x', MADE], ['git push', 'To github.com:a/b.git\n   aaaaaaa..1a2b3c4  main -> main']),
  ).toEqual({
    commits: [{ subject: 'Fix the parser', hash: '1a2b3c4', order: 1, isPushed: true }],
    lastPushOrder: 2,
  })
})

test('a rejected push is none', () => {
  const rejected = ' ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs'
  expect(after(['git commit -m x', MADE], ['git push | cat', rejected])).toEqual({
    commits: [{ subject: 'Fix the parser', hash: '1a2b3c4', order: 1 }],
  })
})

test('a rebase makes other commits of those before it', () => {
  expect(after(['git commit -m x', MADE], ['git rebase origin/main', 'Successfully rebased.']).commits).toEqual([
    { subject: 'Fix the parser', order: 1 },
  ])
  expect(after(['git commit -m x', MADE], ['git rebase --abort', '']).commits[0]?.hash).toBe('1a2b3c4')
})
