import type { DoubtedClaim, ProjectRef, ResolvedProject } from '../kernel/agent-records.ts'
import type { Decision } from '../kernel/event.ts'
import type { CheckpointId } from '../kernel/id.ts'
import type { Lint } from './format/lint.ts'
import type { FileMark, GitMark, SectionKey } from './format/named-checkpoint.ts'
import type { StaleWarning } from './format/stale.ts'

export const SAVE_DOORS = ['cli', 'mcp', 'api'] as const

/** What somebody saves under a name. What is not given is read from SESSION-STATE.md, the working buffer, and what was seen. */
export interface SaveNamedInput extends ProjectRef {
  readonly name: string
  readonly door: (typeof SAVE_DOORS)[number]
  /** One line; further lines count as progress. */
  readonly task?: string
  readonly progress?: readonly string[]
  readonly nextAction?: string
  /** What the work stopped for. */
  readonly waitingFor?: string
  readonly blockers?: readonly string[]
  readonly decisions?: readonly Decision[]
  readonly context?: readonly string[]
  /** A file that is no longer ours may be replaced. */
  readonly canReplace?: boolean
  /** Whose work it is; one is made up when nobody says. */
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
  /** In the store; absent where checkpoints are switched off, or the store could not take it. */
  readonly checkpointId?: CheckpointId
  /** What it says that something observed speaks against. */
  readonly doubts: readonly DoubtedClaim[]
}

export interface NamedListing {
  readonly name: string
  /** Absent when the file is gone and only the store has it. */
  readonly path?: string
  readonly savedAt: string
  readonly task: string
  readonly nextAction: string
  readonly branch?: string
  /** Written by this Holdfast and untouched since. */
  readonly isOurs: boolean
  /** Of the quality check, 0 to 100. */
  readonly score: number
}

export interface ResumedNamed {
  readonly project: ResolvedProject
  readonly name: string
  /** Absent when the file is gone and only the store has it. */
  readonly path?: string
  readonly savedAt: string
  readonly isOurs: boolean
  readonly task: string
  readonly sections: Readonly<Record<SectionKey, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
  readonly warnings: readonly StaleWarning[]
  /**
   * Whether a person has to say yes before anybody acts on the next action: `always` and `interactive` want that, the
   * latter only where a person can be asked; `never` does not, except for text that is not ours.
   */
  readonly confirm: 'always' | 'interactive' | 'never'
}

export interface DeletedNamed {
  readonly name: string
  /** Absent when there was no file. */
  readonly path?: string
  /** How many the store had of it. */
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

/** Checkpoints that people save by name: a file of the project, and a checkpoint like any other in the store. */
export interface NamedCheckpoints {
  /** Writes `memory/checkpoints/<name>.md`, then keeps it in the store. Refuses a bad name, and a file that is not ours. */
  saveNamed(input: SaveNamedInput): Promise<SavedNamed>
  /** Newest first. */
  listNamed(ref: ProjectRef): Promise<readonly NamedListing[]>
  /** What it says and what has become of it since. Executes nothing. Refuses an unknown name, and says which there are. */
  resumeNamed(input: ProjectRef & { readonly name: string }): Promise<ResumedNamed>
  /** The file and what the store has of it. Refuses `autosave`, and a name that neither has. */
  deleteNamed(input: ProjectRef & { readonly name: string }): Promise<DeletedNamed>
  /** Writes `autosave.md` and its log, unless its guards say otherwise. Never touches a named one. */
  autosave(input: AutosaveInput): Promise<AutosaveOutcome>
}
