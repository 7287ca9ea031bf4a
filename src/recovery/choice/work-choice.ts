import type { SessionId, SessionKey } from '../../kernel/id.ts'

export type SourceReason = 'lineage' | 'taken' | 'same-worktree-and-branch' | 'other-machine' | 'same-worktree'

/** The chosen work was done on another machine. */
export interface WorkElsewhere {
  /** The machine's name. */
  readonly machine: string
  /** The name of another person whose work the user took over. */
  readonly author?: string
  /** Its machine did not report an end. Whether it still runs there is not known. */
  readonly mayStillRun: boolean
  /** Commits of it that this repository does not have, the newest first. */
  readonly missingCommits: readonly string[]
  /** How many files were uncommitted there. */
  readonly uncommittedFiles: number
}

/** Work that is named and not given: `holdfast take` gives it to the next session. */
export interface OfferedWork {
  readonly key: SessionKey
  readonly harness: string
  readonly machine: string
  /** The name of another person. */
  readonly author?: string
  readonly branch?: string
  readonly lastEventAt: string
}

/** A session that works in the same worktree now: named, and its work is not given to another. */
export interface LiveSession {
  readonly id: SessionId
  readonly key: SessionKey
  readonly harness: string
  /** Below the worktree; empty at its top. */
  readonly folder: string
  readonly startedAt: string
  readonly lastEventAt: string
}

/** Why a session of the worktree was not chosen. `no-work`: a question, "go on" or a commit of other work. */
export type PassedOverReason =
  | 'live'
  | 'continued-by-live'
  | 'too-old'
  | 'no-work'
  | 'nothing-known'
  | 'other-branch'
  | 'other-person'

export interface PassedOverSession {
  readonly key: SessionKey
  readonly harness: string
  readonly lastEventAt: string
  readonly reason: PassedOverReason
}

/** What changed in the repository since the work stopped. */
export interface ChangedSince {
  /** Absent if git cannot count them. */
  readonly commits?: number
  /** The branch that the work was on, if another one is checked out now. */
  readonly formerBranch?: string
}

/** Which work was chosen, and what a reader must know about the choice before its content. */
export interface WorkChoice {
  readonly reason: SourceReason
  readonly key: SessionKey
  readonly harness: string
  /** The work's last event. */
  readonly stoppedAt: string
  readonly now: string
  /** False for older work: its age comes first. */
  readonly isUnderWay: boolean
  /** Nothing of it is open: one line is enough. */
  readonly isFinished: boolean
  /** Below the worktree, if it is another one than the starting session's; empty at the top. */
  readonly otherFolder?: string
  readonly liveSessions: readonly LiveSession[]
  readonly passedOver: readonly PassedOverSession[]
  /** Absent: it was done here. */
  readonly elsewhere?: WorkElsewhere
  readonly offeredWork: readonly OfferedWork[]
  readonly changedSince: ChangedSince
}
