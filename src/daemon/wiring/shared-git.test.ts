import { expect, test } from 'vitest'
import { createSharedGit } from './local-ports.ts'
import { fakeClock } from '../../../test/support/daemon-setup.ts'

test('one answer serves everybody who asks about a worktree within a second', async () => {
  const clock = fakeClock()
  const asked: string[] = []
  const git = createSharedGit(clock, {
    state: async (worktree) => {
      asked.push(worktree)
      return { branch: `branch-${asked.length}` }
    },
    hasCommit: async () => true,
    heldCommits: async (_worktree, commits) => new Set(commits),
    countCommitsSince: async () => undefined,
    isInHistory: async () => true,
    renames: async () => new Map(),
  })
  const answers = await Promise.all([git.state('/a'), git.state('/a'), git.state('/b')])
  clock.advance(999)
  await git.state('/a')
  clock.advance(1)
  expect(await git.state('/a')).toEqual({ branch: 'branch-3' })
  expect(answers).toEqual([{ branch: 'branch-1' }, { branch: 'branch-1' }, { branch: 'branch-2' }])
  expect(asked).toEqual(['/a', '/b', '/a'])
})

test('a caller that needs the present state does not get a cached one', async () => {
  let head = 'a'
  const git = createSharedGit(fakeClock(), {
    state: async () => ({ head }),
    hasCommit: async () => true,
    heldCommits: async (_worktree, commits) => new Set(commits),
    countCommitsSince: async () => undefined,
    isInHistory: async () => true,
    renames: async () => new Map(),
  })
  await git.state('/a')
  head = 'b'
  expect([await git.state('/a'), await git.state('/a', 'now')]).toEqual([{ head: 'a' }, { head: 'b' }])
  expect(await git.state('/a')).toEqual({ head: 'b' })
})
