import type { Clock, Git } from '../core/ports.ts'
import { createGit } from '../platform/git.ts'

const FRESH_MS = 1_000
const MAX_KNOWN = 100

/**
 * Git asked once for all who want to know within a second. Starting a process stops this one for milliseconds (the
 * kernel copies our page tables), and checkpoints of several sessions in one worktree come together.
 */
export function createSharedGit(clock: Clock, git: Git = createGit()): Git {
  const known = new Map<string, { readonly askedMs: number; readonly answer: ReturnType<Git['state']> }>()
  return {
    state(worktree) {
      const before = known.get(worktree)
      if (before !== undefined && clock.monotonicMs() - before.askedMs < FRESH_MS) return before.answer
      if (known.size >= MAX_KNOWN) known.clear()
      const answer = git.state(worktree)
      known.set(worktree, { askedMs: clock.monotonicMs(), answer })
      return answer
    },
    hasCommit: (worktree, commit) => git.hasCommit(worktree, commit),
    renames: (worktree, since) => git.renames(worktree, since),
    isInHistory: (worktree, commit) => git.isInHistory(worktree, commit),
  }
}
