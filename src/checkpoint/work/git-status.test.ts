import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { ToolOutcome } from '../../kernel/event.ts'
import { foldEvent } from './fold.ts'
import { emptyWork, type WorkState } from './state.ts'

const shell = (command: string, output = '', outcome: Partial<ToolOutcome> = {}) =>
  anEvent('tool-finished', {
    cwd: '/repo',
    tool: { name: 'Bash', kind: 'shell', files: [], command },
    outcome: { ok: true, output, ...outcome },
  })

type Ran = readonly [command: string, output?: string]

function after(runs: readonly Ran[], before: WorkState = emptyWork()): WorkState {
  return runs.reduce(
    (state, [command, output]) => foldEvent(state, shell(command, output), { worktree: '/repo' }),
    before,
  )
}

describe('the last status', () => {
  const seen: Ran = ['git status --short', ' M src/a.ts\n?? runs/\n']

  test('lists what it printed, in the own worktree only', () => {
    expect(after([seen]).gitStatus).toMatchObject({ changed: ['src/a.ts'], untracked: ['runs/'] })
    const scratch: Ran = [
      'cd /tmp && mkdir trial && cd trial && git init && git status',
      'Changes not staged for commit:\n\tmodified:   file.txt\n',
    ]
    expect(after([scratch]).gitStatus).toBeUndefined()
    expect(after([seen, ['git -C ../repo__worktrees/docs status --short', ' M b.md\n']]).gitStatus).toMatchObject({
      changed: ['src/a.ts'],
    })
  })

  test('a later one that lists nothing replaces it', () => {
    for (const clean of [
      ['git status --short --branch', '## main...origin/main\n'],
      ['git status --porcelain', ''],
      ['git fetch && git status', 'On branch main\nnothing to commit, working tree clean\n'],
    ] as const)
      expect(after([seen, clean]).gitStatus).toMatchObject({ changed: [], untracked: [] })
  })

  test('what was removed or moved is not in it, and a commit overtakes it', () => {
    expect(after([seen, ['rm -rf runs && ls']]).gitStatus).toMatchObject({ changed: ['src/a.ts'], untracked: [] })
    expect(after([seen, ['git mv src/a.ts src/b.ts']]).gitStatus).toMatchObject({ changed: [] })
    expect(after([seen, ['git commit -am "Move"', '[main 1a2b3c4] Move']]).gitStatus).toBeUndefined()
  })
})

test('a file that a command removed or moved is deleted or elsewhere', () => {
  const written = foldEvent(
    emptyWork(),
    anEvent('tool-finished', {
      tool: { name: 'Write', kind: 'edit', files: [{ path: '/repo/docs/testing.md', action: 'created' }] },
      outcome: { ok: true },
    }),
    { worktree: '/repo' },
  )
  expect(after([['rm docs/testing.md']], written).files).toMatchObject([{ path: 'docs/testing.md', action: 'deleted' }])
  expect(after([['cd docs && mv testing.md ../notes/']], written).files).toMatchObject([
    { path: 'notes/testing.md', action: 'created' },
  ])
})
