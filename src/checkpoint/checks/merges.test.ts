import { expect, test } from 'vitest'
import type { OpenMerge } from '../../kernel/checkpoint.ts'
import type { ToolOutcome } from '../../kernel/event.ts'
import { withMerge } from './merges.ts'

function after(...runs: readonly (readonly [string, string, Partial<ToolOutcome>?])[]): OpenMerge | undefined {
  return runs.reduce<OpenMerge | undefined>(
    (state, [command, output, outcome], at) =>
      withMerge(
        state,
        { tool: { name: 'Bash', kind: 'shell', files: [], command }, outcome: { ok: true, output, ...outcome } },
        at + 1,
      ),
    undefined,
  )
}

const STOPPED = [
  'git merge origin/parent --no-edit 2>&1',
  'Auto-merging a.go\nCONFLICT (content): Merge conflict in src/a.go\nCONFLICT (modify/delete): src/b.go deleted in HEAD and modified in parent.\nAutomatic merge failed; fix conflicts and then commit the result.',
  { ok: false, exitStatus: 1 },
] as const

test('a merge that stopped at conflicts is under way', () => {
  const open = { command: 'git merge origin/parent --no-edit', conflicts: ['src/a.go', 'src/b.go'], order: 1 }
  expect(after(STOPPED)).toEqual(open)
  expect(after(STOPPED, ['git status --short', 'UU src/a.go'], ['git add src/a.go', ''])).toEqual(open)
  expect(after(STOPPED, ['git commit --no-edit', 'error: Committing is not possible', { ok: false }])).toEqual(open)
})

test('a commit, a continuation, an abort and a clean worktree end it', () => {
  expect(after(STOPPED, ['git commit --no-edit', '[main 1a2b3c4] Merge'])).toBeUndefined()
  expect(after(STOPPED, ['git merge --abort', ''])).toBeUndefined()
  expect(after(STOPPED, ['git rebase --continue', 'Successfully rebased'])).toBeUndefined()
  expect(after(STOPPED, ['git status', 'nothing to commit, working tree clean'])).toBeUndefined()
})

test('a merge without conflicts, a search for the word and a trial repository are none', () => {
  expect(after(['git merge main', 'Updating 1a2b3c4..5d6e7f8\nFast-forward'])).toBeUndefined()
  expect(after(['rg CONFLICT', 'CONFLICT (content): Merge conflict in a'])).toBeUndefined()
  expect(after(['cd /tmp/try && git merge x', STOPPED[1], STOPPED[2]])).toBeUndefined()
})
