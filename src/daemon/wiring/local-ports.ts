import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Clock, Locator, RepositorySurveyor, Git } from '../../kernel/ports/ports.ts'
import { systemEntropy } from '../../platform/base/crypto.ts'
import { localFiles } from '../../platform/files/files.ts'
import { createLocator } from '../../platform/locator.ts'
import { systemLoopback } from '../../platform/process/loopback.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { findResumeCommand } from '../../harness/registry.ts'
import { createTranscripts } from '../../harness/transcripts.ts'
import { systemTimers } from '../process/timers.ts'
import { createGit } from '../../platform/git/git.ts'
import { sha256 } from '../../platform/base/crypto.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'
import { checkIndexPair, type PairCheck } from '../../codemap/pair/check-pair.ts'
import { createIndexReader } from '../../codemap/pair/index-reader.ts'
import type { Codemap, PairState } from '../../agent-api/ports.ts'

const FRESH_MS = 1_000
const MAX_KNOWN = 100

interface GitQuery {
  readonly askedMs: number
  readonly answer: ReturnType<Git['state']>
  isAnswered: boolean
}

/**
 * One git query for all callers within a second. Starting a process stops this one for milliseconds (the
 * kernel copies our page tables), and checkpoints of several sessions in one worktree come together.
 */
export function createSharedGit(clock: Clock, git: Git = createGit()): Git {
  const known = new BoundedMap<string, GitQuery>(MAX_KNOWN)
  return {
    state(worktree, asOf) {
      const before = known.get(worktree)
      const isFresh = before !== undefined && clock.monotonicMs() - before.askedMs < FRESH_MS
      if (isFresh && (asOf === undefined || !before.isAnswered)) return before.answer
      const asked: GitQuery = { askedMs: clock.monotonicMs(), answer: git.state(worktree), isAnswered: false }
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
    countCommitsSince: (worktree, commit) => git.countCommitsSince(worktree, commit),
    isInHistory: (worktree, commit) => git.isInHistory(worktree, commit),
  }
}

type LocalPorts = Pick<
  ContinuityPorts,
  | 'clock'
  | 'timers'
  | 'entropy'
  | 'files'
  | 'git'
  | 'processes'
  | 'loopback'
  | 'transcripts'
  | 'sha256'
  | 'resumeCommand'
> & { readonly locator: Locator & RepositorySurveyor }

/** The ports of this machine. */
export function createLocalPorts(clock: Clock): LocalPorts {
  return {
    clock,
    timers: systemTimers,
    entropy: systemEntropy,
    files: localFiles,
    git: createSharedGit(clock),
    locator: createLocator({ clock }),
    processes: systemProcesses,
    loopback: systemLoopback,
    transcripts: createTranscripts(),
    resumeCommand: findResumeCommand,
    sha256,
  }
}

function toPairState({ state, markdown }: PairCheck): PairState {
  switch (state) {
    case 'ok':
      return 'matched'
    case 'missing':
      return markdown === undefined ? 'missing' : 'no-json'
    case 'mismatched':
    case 'unreadable':
      return 'mismatched'
  }
}

/** The PROJECT_INDEX pair of each project: read, never written. */
export function createProjectCodemap(): Codemap {
  const { findHead, symbolsOf } = createIndexReader()
  return {
    async indexState(root) {
      const check = await checkIndexPair(root, findHead)
      return {
        text: check.markdown ?? '',
        pair: toPairState(check),
        ...(check.generated !== undefined && { generatedAt: check.generated }),
        ...(check.state !== 'missing' && check.advice !== '' && { detail: check.advice }),
      }
    },
    symbols: symbolsOf,
  }
}
