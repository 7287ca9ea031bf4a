import { createHash } from 'node:crypto'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import type { Clock, Places, Surveys, Git } from '../../kernel/ports/ports.ts'
import { systemEntropy } from '../../platform/base/entropy.ts'
import { localFiles } from '../../platform/files/files.ts'
import { createPlaces } from '../../platform/places.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { createTranscripts } from '../../harness/transcripts.ts'
import { systemTimers } from '../process/timers.ts'
import { createGit } from '../../platform/git/git.ts'

const FRESH_MS = 1_000
const MAX_KNOWN = 100

interface Asked {
  readonly askedMs: number
  readonly answer: ReturnType<Git['state']>
  isAnswered: boolean
}

/**
 * Git asked once for all who want to know within a second. Starting a process stops this one for milliseconds (the
 * kernel copies our page tables), and checkpoints of several sessions in one worktree come together.
 */
export function createSharedGit(clock: Clock, git: Git = createGit()): Git {
  const known = new Map<string, Asked>()
  return {
    state(worktree, asOf) {
      const before = known.get(worktree)
      const isFresh = before !== undefined && clock.monotonicMs() - before.askedMs < FRESH_MS
      if (isFresh && (asOf === undefined || !before.isAnswered)) return before.answer
      if (known.size >= MAX_KNOWN) known.clear()
      const asked: Asked = { askedMs: clock.monotonicMs(), answer: git.state(worktree), isAnswered: false }
      known.set(worktree, asked)
      const answered = () => {
        asked.isAnswered = true
      }
      asked.answer.then(answered, answered)
      return asked.answer
    },
    hasCommit: (worktree, commit) => git.hasCommit(worktree, commit),
    heldCommits: (worktree, commits) => git.heldCommits(worktree, commits),
    renames: (worktree, since) => git.renames(worktree, since),
    isInHistory: (worktree, commit) => git.isInHistory(worktree, commit),
  }
}

type LocalWorld = Pick<
  ContinuityDeps,
  'clock' | 'timers' | 'entropy' | 'files' | 'git' | 'processes' | 'transcripts' | 'sha256'
> & { readonly places: Places & Surveys }

/** This machine, as the use cases see it. */
export function localWorld(clock: Clock): LocalWorld {
  return {
    clock,
    timers: systemTimers,
    entropy: systemEntropy,
    files: localFiles,
    git: createSharedGit(clock),
    places: createPlaces({ clock }),
    processes: systemProcesses,
    transcripts: createTranscripts(),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
  }
}
