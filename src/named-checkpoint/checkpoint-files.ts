import type { Checkpoint } from '../kernel/checkpoint.ts'
import type { Lint } from './format/lint.ts'
import type { NamedCheckpoint, SectionKey } from './format/named-checkpoint.ts'
import type { ReadCheckpoint } from './format/parse.ts'
import type { StaleWarning } from './format/stale.ts'

/** A checkpoint as its file has it, whoever wrote that. */
export interface NamedFile {
  readonly name: string
  /** Relative to the worktree. */
  readonly path: string
  readonly text: string
  readonly read: ReadCheckpoint
  /** Written by this Holdfast and untouched since. */
  readonly isOurs: boolean
  /** What the file says, else when it was last changed. */
  readonly savedAt: string
}

export interface SaveFileInput {
  readonly name: string
  readonly now: string
  readonly task?: string
  readonly given?: Partial<Readonly<Record<SectionKey, string>>>
  /** The newest checkpoint of this session or worktree, where one is known. */
  readonly observed?: Checkpoint
  /** A file that is no longer ours, because it was edited or came with the repository, may be replaced. */
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
  /** None is written when the last one is younger. */
  readonly minIntervalMs: number
  /** What was seen may be saved where SESSION-STATE.md says nothing. */
  readonly mayStandOnObserved: boolean
  /** Asked only when one is due. */
  readonly observe: () => Promise<Checkpoint | undefined>
}

export type AutosaveVerdict = { readonly isDue: true } | { readonly isDue: false; readonly because: string }

export interface BufferEntry {
  readonly at: string
  readonly by: 'Human' | 'Agent (summary)'
  readonly text: string
}

/** `memory/checkpoints/` and its neighbours in a worktree. Everything written is redacted; nothing follows a link out of it. */
export interface CheckpointFiles {
  /** Refuses to replace a file that is not ours. */
  save(worktree: string, input: SaveFileInput): Promise<SavedFile>
  /** Newest first. */
  list(worktree: string): Promise<readonly NamedFile[]>
  find(worktree: string, name: string): Promise<NamedFile | undefined>
  /** What has become of the files and commits that a checkpoint relies on. */
  staleness(worktree: string, read: ReadCheckpoint): Promise<readonly StaleWarning[]>
  /** True when there was one. */
  delete(worktree: string, name: string): Promise<boolean>
  autosave(worktree: string, request: AutosaveRequest): Promise<AutosaveVerdict>
  /** Begins `memory/working-buffer.md` anew, or goes on with this session's. False where somebody else keeps it, or nobody does and `mayCreate` is not set. */
  startBuffer(
    worktree: string,
    input: { readonly sessionKey: string; readonly now: string; readonly mayCreate: boolean },
  ): Promise<boolean>
  /** Adds to the buffer that `startBuffer` began; nothing where it has become somebody else's. */
  appendBuffer(worktree: string, sessionKey: string, entry: BufferEntry): Promise<void>
}
