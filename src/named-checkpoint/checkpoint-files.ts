import type { Checkpoint } from '../kernel/checkpoint.ts'
import type { Lint } from './format/lint.ts'
import type { NamedCheckpoint, CheckpointSection, ParsedCheckpoint } from './format/file-format.ts'
import type { StaleWarning } from './format/stale-warnings.ts'

/** A checkpoint file, written by Holdfast or by hand. */
export interface CheckpointFile {
  readonly name: string
  /** Relative to the worktree. */
  readonly path: string
  readonly text: string
  readonly parsed: ParsedCheckpoint
  /** Written by this Holdfast and unchanged since. */
  readonly isOurs: boolean
  /** The time in the file, else its modification time. */
  readonly savedAt: string
}

export interface SaveFileInput {
  readonly name: string
  readonly now: string
  readonly task?: string
  readonly given?: Partial<Readonly<Record<CheckpointSection, string>>>
  /** The newest checkpoint of this session or worktree, if any. */
  readonly observed?: Checkpoint
  /** Allows replacing a file that was edited or came with the repository. */
  readonly canReplace?: boolean
}

export interface SavedFile {
  readonly checkpoint: NamedCheckpoint
  /** Relative to the worktree. */
  readonly path: string
  readonly isReplaced: boolean
  readonly lint: Lint
}

export interface AutosaveRequest {
  readonly now: string
  readonly reason?: string
  /** Minimum age of the previous autosave. */
  readonly minIntervalMs: number
  /** Save observed work if SESSION-STATE.md is empty. */
  readonly canUseObserved: boolean
  /** Called only if an autosave is due. */
  readonly observe: () => Promise<Checkpoint | undefined>
}

export type AutosaveVerdict = { readonly isDue: true } | { readonly isDue: false; readonly because: string }

export interface BufferEntry {
  readonly at: string
  readonly by: 'Human' | 'Agent (summary)'
  readonly text: string
}

/** `memory/checkpoints/` and related files of a worktree. Writes are redacted; links out of the worktree are not followed. */
export interface CheckpointFiles {
  /** Refuses to replace a file that was edited or came with the repository. */
  save(worktree: string, input: SaveFileInput): Promise<SavedFile>
  /** Newest first. */
  list(worktree: string): Promise<readonly CheckpointFile[]>
  find(worktree: string, name: string): Promise<CheckpointFile | undefined>
  /** Files, branch and commits of a checkpoint that have changed since. */
  staleness(worktree: string, read: ParsedCheckpoint): Promise<readonly StaleWarning[]>
  /** True if it existed. */
  delete(worktree: string, name: string): Promise<boolean>
  autosave(worktree: string, request: AutosaveRequest): Promise<AutosaveVerdict>
  /** Starts or continues this session's `memory/working-buffer.md`. False if another tool owns it, or if it is missing and `mayCreate` is false. */
  startBuffer(
    worktree: string,
    input: { readonly sessionKey: string; readonly now: string; readonly mayCreate: boolean },
  ): Promise<boolean>
  /** Appends to this session's buffer; no effect if another tool owns it by now. */
  appendBuffer(worktree: string, sessionKey: string, entry: BufferEntry): Promise<void>
}
