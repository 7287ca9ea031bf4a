import type { ProjectId } from './id.ts'

/** Which repository, which checkout of it, which branch: what knowledge and live state belong to. */
export interface Place {
  readonly projectId: ProjectId
  /** As the user or harness spelled it; for display only. */
  readonly project: string
  /** Realpath of the git common dir's owner, or of the root without git: symlinks meet here. */
  readonly projectNormalized: string
  /** The address of `origin` without scheme, login and spelling: how another machine knows the same project. */
  readonly remote?: string
  /** Realpath of the checkout's top level. */
  readonly worktree: string
  /** Where this checkout was before it was moved here; what was done there was done in it. */
  readonly formerWorktree?: string
  /** Absent on a detached HEAD or without git. */
  readonly branch?: string
  /** Commit id; absent without git or before the first commit. */
  readonly head?: string
}

export interface DirtySummary {
  readonly staged: number
  readonly unstaged: number
  readonly untracked: number
  /** Worktree-relative, at most 20. */
  readonly paths: readonly string[]
}

export interface GitState {
  readonly branch?: string
  readonly head?: string
  readonly dirty?: DirtySummary
}
