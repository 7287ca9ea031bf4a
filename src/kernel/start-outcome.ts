import type { StartSource } from './event.ts'
import type { ProjectId, SessionId, SessionKey } from './id.ts'
import type { InjectionKind } from './injection.ts'

/** Tool calls after a start that are watched for re-work, and within which a line that was shown counts as used. */
export const WATCHED_CALLS = 40

/** Whether a file that was read again still was what the earlier session had left. */
export type Standing = 'unchanged' | 'changed' | 'cannot-tell'

/** A file that the earlier session had read or written, read again before this session changed it. */
export interface RereadFile {
  readonly path: string
  readonly standing: Standing
  /** It was changed afterwards: several harnesses want a file read before they edit it. */
  readonly isEditedAfter: boolean
}

/** What was done again although the earlier work had done it. */
export interface Rework {
  readonly filesReread: readonly RereadFile[]
  /** Commands that the earlier session had run, run again before this one had changed anything. */
  readonly commandsRepeated: readonly string[]
  /** Decisions of the earlier work that were decided again, or turned round. */
  readonly decisionsReopened: readonly string[]
  /** What was done again as a share of what was read, run and decided; absent where that is nothing. */
  readonly ratio?: number
  /**
   * S1's name. Things that the earlier work knew and this session had not been told, that it then needed: named by the
   * user in a prompt, or looked up by the agent. 0 is best.
   */
  readonly novel_context_count: number
}

/** What became of one line that was shown. `afterCalls`: tool calls until it was first used; `not-used` so far; `cannot-tell` where it names nothing to be seen. */
export type LineUse =
  | { readonly status: 'used'; readonly afterCalls: number }
  | { readonly status: 'not-used' | 'cannot-tell' }

/** What became of one injection; `lines` in the order of its reasons. */
export interface InjectionUse {
  readonly at: string
  readonly kind: InjectionKind
  readonly textHash: string
  readonly lines: readonly LineUse[]
}

/** How often lines of one section were shown, and used; a session counts for little, however many it had. */
export interface SectionLabels {
  readonly section: string
  readonly shown: number
  readonly used: number
}

/** What followed one start, resume or compaction of a session. */
export interface Receipt {
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  readonly projectId: ProjectId
  readonly worktree: string
  readonly epoch: number
  /** Absent where the harness does not say how a session began. */
  readonly source?: StartSource
  readonly startedAt: string
  readonly startSeq: number
  /** The newest event it reflects. */
  readonly eventSeq: number
  /** Whether a recovery was told at this start. */
  readonly isWarm: boolean
  /** Tool calls of the main thread up to now; at most those that are traced. */
  readonly calls: number
  /** Distinct, within the watched calls. */
  readonly filesRead: number
  readonly commandsRun: number
  readonly decisionsMade: number
  /** Tool calls before the first one that changed a file; absent while none did. */
  readonly callsToFirstEdit?: number
  /** From the first prompt, or the start where there was none, to that edit. */
  readonly msToFirstEdit?: number
  /** Whose work it is compared with; empty where there was none before. */
  readonly earlierSessions: readonly SessionId[]
  /** Absent where there was no earlier work to do again. */
  readonly rework?: Rework
  readonly uses: readonly InjectionUse[]
  readonly labels: readonly SectionLabels[]
}

export function unchangedRereads(rework: Rework): number {
  return rework.filesReread.filter(({ standing }) => standing === 'unchanged').length
}
