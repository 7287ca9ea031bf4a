import type { StartSource } from './event.ts'
import type { ProjectId, SessionId, SessionKey } from './id.ts'
import type { InjectionKind } from './injection.ts'

/** Tool calls after a start that are watched for repeated work, and within which an injected line counts as used. */
export const WATCHED_CALLS = 40

/** Whether a file that was read again was still as the earlier session left it. */
export type RereadState = 'unchanged' | 'changed' | 'cannot-tell'

/** A file that the earlier session had read or written, read again before this session changed it. */
export interface RereadFile {
  readonly path: string
  readonly standing: RereadState
  /** It was edited afterwards: several harnesses require a read before an edit. */
  readonly isEditedAfter: boolean
}

/** Work that a session repeated although an earlier one had done it. */
export interface Rework {
  readonly filesReread: readonly RereadFile[]
  /** Commands that the earlier session had run, run again before this one had changed anything. */
  readonly commandsRepeated: readonly string[]
  /** Decisions of the earlier work that were made again or reversed. */
  readonly decisionsReopened: readonly string[]
  /** Repeated work as a share of everything read, run and decided; absent if that is nothing. */
  readonly ratio?: number
  /**
   * The Session Continuity Protocol's name. Things that the earlier work knew, that were not injected, and that this session then needed: named by the
   * user in a prompt, or looked up by the agent. 0 is best.
   */
  readonly novel_context_count: number
}

/** Whether one injected line was used. `afterCalls`: tool calls until its first use. `cannot-tell`: it names nothing observable. */
export type LineUse =
  | { readonly status: 'used'; readonly afterCalls: number }
  | { readonly status: 'not-used' | 'cannot-tell' }

/** The use of one injection; `lines` in the order of its reasons. */
export interface InjectionUse {
  readonly at: string
  readonly kind: InjectionKind
  readonly textHash: string
  readonly lines: readonly LineUse[]
}

/** How often lines of one section were injected and used. Bounded for each session. */
export interface SectionLabels {
  readonly section: string
  readonly shown: number
  readonly used: number
}

/** What followed one start, resume or compaction of a session. */
export interface StartOutcome {
  readonly sessionId: SessionId
  readonly sessionKey: SessionKey
  readonly harness: string
  readonly projectId: ProjectId
  readonly worktree: string
  readonly epoch: number
  /** Absent if the harness does not report how the session began. */
  readonly source?: StartSource
  readonly startedAt: string
  readonly startSeq: number
  /** The newest event it reflects. */
  readonly eventSeq: number
  readonly isWarm: boolean
  /** Tool calls of the main thread so far, at most as many as are traced. */
  readonly calls: number
  /** Distinct, within the watched calls. */
  readonly filesRead: number
  readonly commandsRun: number
  readonly decisionsMade: number
  /** Tool calls before the first edit; absent until there is one. */
  readonly callsToFirstEdit?: number
  /** From the first prompt, or from the start if there was none, to that edit. */
  readonly msToFirstEdit?: number
  /** The sessions it is compared with; may be empty. */
  readonly earlierSessions: readonly SessionId[]
  /** Absent without earlier work. */
  readonly rework?: Rework
  readonly uses: readonly InjectionUse[]
  readonly labels: readonly SectionLabels[]
}

export function unchangedRereads(rework: Rework): number {
  return rework.filesReread.filter(({ standing }) => standing === 'unchanged').length
}
