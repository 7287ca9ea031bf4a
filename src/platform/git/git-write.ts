import { type GitRequest, type GitRun, runGitCommand } from './git-command.ts'

export type GitRunOptions = Partial<Omit<GitRequest, 'worktree' | 'args' | 'program' | 'isCut'>>

/** Runs git for what changes something or must come out byte for byte. Never throws. */
export function runGitFully(worktree: string, args: readonly string[], options: GitRunOptions = {}): Promise<GitRun> {
  const { timeoutMs = 60_000, maxOutputBytes = 64_000_000, settings = [], ...rest } = options
  // A part of an index that is split would lie in the repository.
  const own = rest.scratch === undefined ? settings : ['core.splitIndex=false', ...settings]
  return runGitCommand({ worktree, args, timeoutMs, maxOutputBytes, settings: own, ...rest })
}
