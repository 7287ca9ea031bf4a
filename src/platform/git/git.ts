import type { Git } from '../../kernel/ports/ports.ts'
import type { DirtySummary, GitState } from '../../kernel/location.ts'
import { type GitRequest, runGitCommand } from './git-command.ts'
import { heldCommits } from './own-objects.ts'

export type GitOptions = Partial<Pick<GitRequest, 'timeoutMs' | 'maxOutputBytes' | 'program' | 'settings'>>

const TIMEOUT_MS = 2_000
const MAX_OUTPUT_BYTES = 4_000_000

export interface GitAnswer {
  readonly exitStatus: number
  readonly stdout: string
}

/** Runs a read-only git command; undefined when it was not run or timed out. Output over the limit is dropped. */
export async function runGit(
  worktree: string,
  args: readonly string[],
  { timeoutMs = TIMEOUT_MS, maxOutputBytes = MAX_OUTPUT_BYTES, ...options }: GitOptions = {},
): Promise<GitAnswer | undefined> {
  const run = await runGitCommand({ worktree, args, timeoutMs, maxOutputBytes, isCut: true, ...options })
  return run.exitStatus === -1 ? undefined : { exitStatus: run.exitStatus, stdout: run.stdout.toString('utf8') }
}

const MAX_PATHS = 20

/** The path follows a fixed number of space-separated fields and may hold spaces itself. */
function fieldsBefore(entry: string, count: number): string {
  let at = 0
  for (let n = 0; n < count; n += 1) at = entry.indexOf(' ', at) + 1
  return entry.slice(at)
}

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string, maxPaths: number = MAX_PATHS): GitState {
  let branch: string | undefined
  let head: string | undefined
  const counts = { staged: 0, unstaged: 0, untracked: 0 }
  const paths: string[] = []
  const unmerged: string[] = []
  const entries = output.split('\0')
  for (let n = 0; n < entries.length; n += 1) {
    const entry = entries[n] ?? ''
    if (entry.startsWith('# branch.oid ')) head = entry.slice(13)
    else if (entry.startsWith('# branch.head ')) branch = entry.slice(14)
    else if (entry.startsWith('? ')) {
      counts.untracked += 1
      paths.push(entry.slice(2))
    } else if (entry.startsWith('u ')) {
      counts.unstaged += 1
      paths.push(fieldsBefore(entry, 10))
      unmerged.push(fieldsBefore(entry, 10))
    } else if (entry.startsWith('1 ') || entry.startsWith('2 ')) {
      if (entry[2] !== '.') counts.staged += 1
      if (entry[3] !== '.') counts.unstaged += 1
      paths.push(fieldsBefore(entry, entry.startsWith('1 ') ? 8 : 9))
      // A rename is followed by an entry with the old name.
      if (entry.startsWith('2 ')) n += 1
    }
  }
  const dirty: DirtySummary = { ...counts, paths: paths.slice(0, maxPaths) }
  return {
    ...(branch === undefined || branch === '(detached)' ? {} : { branch }),
    ...(head === undefined || head === '(initial)' ? {} : { head }),
    dirty,
    ...(unmerged.length === 0 ? {} : { unmerged: unmerged.slice(0, maxPaths) }),
  }
}

const RENAMES = ['diff', '--name-status', '-z', '-M', '--diff-filter=R']

/** Reads `git diff --name-status -z` of renames: similarity, old path, new path. */
function parseRenames(output: string): ReadonlyMap<string, string> {
  const fields = output.split('\0')
  const renames = new Map<string, string>()
  for (let n = 0; n + 2 < fields.length; n += 3) renames.set(fields[n + 1] ?? '', fields[n + 2] ?? '')
  return renames
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']

export function createGit(options: GitOptions = {}): Git {
  return {
    async state(worktree) {
      const answer = await runGit(worktree, STATUS, options)
      return answer?.exitStatus === 0 ? parseStatus(answer.stdout) : undefined
    },
    async hasCommit(worktree, commit) {
      if (!/^[0-9a-f]{4,64}$/.test(commit)) return false
      const answer = await runGit(worktree, ['rev-parse', '--quiet', '--verify', `${commit}^{commit}`], options)
      if (answer?.exitStatus === 0) return true
      // Exit status 1 means "no such commit"; any other, such as 128 outside a repository, is inconclusive.
      return answer?.exitStatus === 1 ? false : undefined
    },
    heldCommits: (worktree, commits) =>
      heldCommits(worktree, commits, { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, ...options }),
    async renames(worktree, since) {
      if (!/^[0-9a-f]{4,64}$/.test(since)) return undefined
      const answer = await runGit(worktree, [...RENAMES, since, '--'], options)
      return answer?.exitStatus === 0 ? parseRenames(answer.stdout) : undefined
    },
    async countCommitsSince(worktree, commit) {
      if (!/^[0-9a-f]{4,64}$/.test(commit)) return undefined
      const answer = await runGit(worktree, ['rev-list', '--count', `${commit}..HEAD`, '--'], options)
      return answer?.exitStatus === 0 ? Number(answer.stdout.trim()) : undefined
    },
    async isInHistory(worktree, commit) {
      if (!/^[0-9a-f]{4,64}$/.test(commit)) return undefined
      const answer = await runGit(worktree, ['merge-base', '--is-ancestor', commit, 'HEAD'], options)
      return answer?.exitStatus === 0 ? true : answer?.exitStatus === 1 ? false : undefined
    },
  }
}
