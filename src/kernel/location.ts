import type { ProjectId } from './id.ts'

export interface StoreOwner {
  readonly id: string
  /** Account and host where the store was first opened, for people. */
  readonly name: string
}

/** The machine of a session, as stored with it. */
export interface MachineRef {
  /** Compared for equality only. */
  readonly id: string
  /** The host's name, for people. */
  readonly name: string
}

/** Who wrote something that was received from another home. */
export interface Origin {
  /** The id of the person. */
  readonly principal: string
  readonly machine: MachineRef
}

/** The machine that this process runs on. */
export interface Machine extends MachineRef {
  /** The host, even if `id` distinguishes its containers. */
  readonly hostId: string
  /** Whether daemons of other machines may write to the same store. */
  readonly sharesStore: boolean
}

/**
 * Whether something was written by this machine. Rows without a machine are older than this field: in a store of one
 * home they are from this machine, in a shared store that is unknown.
 */
export function isFromMachine(machine: MachineRef | undefined, here: Machine): boolean {
  return machine === undefined ? !here.sharesStore : machine.id === here.id
}

/** Facts about the repository at a location, read without running git. */
export interface RepositoryFacts {
  /** Real path of the git common directory; without git, of the folder itself. */
  readonly location: string
  readonly hasGit: boolean
  /** Normalised addresses; the first one names the repository: `upstream`, then `origin`, then as configured. */
  readonly remotes: readonly string[]
  /** Distinguishes this git directory from a later one at the same path. Absent if the file system has no creation times. */
  readonly stamp?: string
  /** The commit that is checked out; absent before the first one. */
  readonly head?: string
  /** Shallow or with alternates: it may be a known repository without being able to prove it. */
  readonly isIncomplete?: boolean
}

/** A location and the facts that identify its repository. */
export interface LocatedRepository {
  readonly location: Location
  readonly repository: RepositoryFacts
  /** False for a path that is no longer there. */
  readonly isThere: boolean
}

/** A location as last seen, and its project. A location has one row for each repository that was ever there. */
export interface KnownLocation {
  readonly machineId: string
  readonly location: string
  readonly projectId: ProjectId
  readonly remotes: readonly string[]
  readonly stamp?: string
  /** The oldest commit without a parent; absent while unknown, and in a shallow clone. */
  readonly rootCommit?: string
  /** A few commits that were checked out here and are in the repository itself, the newest first. */
  readonly commits: readonly string[]
  /** The location that the repository was moved from. */
  readonly movedFrom?: string
  readonly lastSeenAt: string
  /** Absent: a location of this home. */
  readonly origin?: Origin
}

/** A repository, a checkout of it and a branch. */
export interface Location {
  readonly projectId: ProjectId
  /** As the user or harness spelled it; for display only. */
  readonly project: string
  /** Realpath of the git common dir's owner, or of the root without git. */
  readonly projectNormalized: string
  /** The normalised URL of `origin`, which identifies the project on other machines. */
  readonly remote?: string
  /** Realpath of the checkout's top level. */
  readonly worktree: string
  /** Where this checkout was before it was moved here. */
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
  /** Paths with conflicts of a merge or the like, at most as many as `dirty.paths`. */
  readonly unmerged?: readonly string[]
}
