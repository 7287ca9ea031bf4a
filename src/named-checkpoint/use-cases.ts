import type { RefutedClaim, ProjectRef, ResolvedProject } from '../kernel/agent-records.ts'
import type { Decision } from '../kernel/event.ts'
import type { CheckpointId } from '../kernel/id.ts'
import type { Lint } from './format/lint.ts'
import type { FileMark, GitMark, CheckpointSection } from './format/file-format.ts'
import type { StaleWarning } from './format/stale-warnings.ts'

export const SAVE_ENTRY_POINTS = ['cli', 'mcp', 'api'] as const

/** Missing parts are taken from SESSION-STATE.md, the working buffer and observed work. */
export interface SaveNamedInput extends ProjectRef {
  readonly name: string
  readonly door: (typeof SAVE_ENTRY_POINTS)[number]
  /** One line; further lines count as progress. */
  readonly task?: string
  readonly progress?: readonly string[]
  readonly nextAction?: string
  /** What the work is waiting for. */
  readonly waitingFor?: string
  readonly blockers?: readonly string[]
  readonly decisions?: readonly Decision[]
  readonly context?: readonly string[]
  /** Allows replacing a file that was edited or came with the repository. */
  readonly canReplace?: boolean
  /** Default: a generated key. */
  readonly sessionKey?: string
  readonly harness?: string
}

export interface SavedNamed {
  readonly project: ResolvedProject
  readonly name: string
  /** Relative to the worktree. */
  readonly path: string
  readonly savedAt: string
  readonly task: string
  readonly nextAction: string
  readonly isReplaced: boolean
  readonly lint: Lint
  readonly sessionKey: string
  readonly isSessionMadeUp: boolean
  /** Absent if checkpoints are disabled or the store failed. */
  readonly checkpointId?: CheckpointId
  /** Claims that observed facts refute. */
  readonly doubts: readonly RefutedClaim[]
}

export interface NamedListing {
  readonly name: string
  /** Absent if only the store has it. */
  readonly path?: string
  readonly savedAt: string
  readonly task: string
  readonly nextAction: string
  readonly branch?: string
  /** Written by this Holdfast and unchanged since. */
  readonly isOurs: boolean
  /** Lint score, 0 to 100. */
  readonly score: number
}

export interface ResumedNamed {
  readonly project: ResolvedProject
  readonly name: string
  /** Absent if only the store has it. */
  readonly path?: string
  readonly savedAt: string
  readonly isOurs: boolean
  readonly task: string
  readonly sections: Readonly<Record<CheckpointSection, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
  readonly warnings: readonly StaleWarning[]
  /**
   * Whether the user has to confirm the next action. `interactive`: only if there is a user to ask. `never` applies only to
   * files that are unchanged since Holdfast wrote them.
   */
  readonly confirm: 'always' | 'interactive' | 'never'
}

export interface DeletedNamed {
  readonly name: string
  /** Absent if there was no file. */
  readonly path?: string
  /** Number of stored checkpoints deleted. */
  readonly stored: number
}

export interface AutosaveInput extends ProjectRef {
  readonly reason?: string
}

export interface AutosaveOutcome {
  readonly isWritten: boolean
  /** Relative to the worktree; only when written. */
  readonly path?: string
  /** Why not. */
  readonly because?: string
}

/** Checkpoints saved by name: a file of the project and a checkpoint in the store. */
export interface NamedCheckpoints {
  /** Writes `memory/checkpoints/<name>.md`, then the store. Refuses an invalid name and a file that was edited. */
  saveNamed(input: SaveNamedInput): Promise<SavedNamed>
  /** Newest first. */
  listNamed(ref: ProjectRef): Promise<readonly NamedListing[]>
  /** The content and what has changed since. Executes nothing. Refuses an unknown name, listing the known ones. */
  resumeNamed(input: ProjectRef & { readonly name: string }): Promise<ResumedNamed>
  /** Deletes the file and the stored checkpoints. Refuses `autosave` and an unknown name. */
  deleteNamed(input: ProjectRef & { readonly name: string }): Promise<DeletedNamed>
  /** Writes `autosave.md` and its log if due. Never touches a named checkpoint. */
  autosave(input: AutosaveInput): Promise<AutosaveOutcome>
}
