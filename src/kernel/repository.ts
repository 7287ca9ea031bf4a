import type { ProjectId } from './id.ts'
import type { Place } from './project.ts'

/** What the disk says about the repository at a place, read without running git. */
export interface RepositoryFacts {
  /** Real path of the git common directory; without git, of the folder itself. */
  readonly location: string
  readonly hasGit: boolean
  /** Normalised addresses; the first one names the repository: `upstream`, then `origin`, then as configured. */
  readonly remotes: readonly string[]
  /** Tells this git directory from a later one at the same path. Absent where the file system does not say when a directory was made. */
  readonly stamp?: string
  /** The commit that is checked out; absent before the first one. */
  readonly head?: string
  /** Its history ends before its root, or it reads objects from another store: it may be a repository that it cannot prove to be. */
  readonly isIncomplete?: boolean
}

/** A place on the disk together with what tells its repository from another one at the same path. */
export interface Survey {
  readonly place: Place
  readonly repository: RepositoryFacts
  /** False for a path that is no longer there. */
  readonly isThere: boolean
}

/** A location as it was last seen, and the project that it is. A location has one for each repository that was ever there. */
export interface KnownLocation {
  readonly machineId: string
  readonly location: string
  readonly projectId: ProjectId
  readonly remotes: readonly string[]
  readonly stamp?: string
  /** The oldest commit without a parent; absent while unknown, and in a shallow clone. */
  readonly rootCommit?: string
  /** Commits that were checked out here and that the repository held itself, the newest first; a few. */
  readonly commits: readonly string[]
  /** The location that the repository was moved from. */
  readonly movedFrom?: string
  readonly lastSeenAt: string
}
