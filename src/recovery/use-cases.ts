import type { CheckpointId, SessionKey } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { LineReason } from '../kernel/injection.ts'

/** What a past session would have been given at its start. */
export interface Hindsight {
  readonly session: Session
  readonly recovery: RecoveryBlock
}

export interface RecoveryBlock {
  /** Empty when nothing is known. */
  readonly text: string
  readonly sources: readonly CheckpointId[]
  readonly reasons: readonly LineReason[]
  /** Checkpoints of sibling worktrees, offered by name and never injected. */
  /** Of an overflow: how many pieces did not fit into it either. */
  readonly leftOut?: number
  readonly offered: readonly {
    readonly worktree: string
    readonly branch?: string
    readonly checkpointId: CheckpointId
  }[]
}

export interface RecoveryUseCases {
  /** What would be injected into a session that starts now in `cwd`. */
  previewRecovery(input: {
    readonly cwd: string
    readonly harness?: string
    readonly sessionKey?: SessionKey
    /** As if that session were resumed: its own work. */
    readonly isResumed?: boolean
    /** Returns the overflow instead of the block, in at most so many characters. */
    readonly restChars?: number
    /** The session whose overflow is wanted; default: the recovery's main session. Refuses a session that is unknown in this project. */
    readonly restOf?: SessionKey
  }): Promise<RecoveryBlock>
  /** What each of the latest sessions would have been given at its start; of the project at `cwd`, else of all. */
  hindsight(input: { readonly cwd?: string; readonly limit: number }): Promise<readonly Hindsight[]>
}
