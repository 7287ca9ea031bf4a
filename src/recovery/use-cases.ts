import type { CheckpointId, SessionKey } from '../kernel/id.ts'
import type { LineReason } from '../kernel/injection.ts'

export interface RecoveryBlock {
  /** Empty when nothing is known. */
  readonly text: string
  readonly sources: readonly CheckpointId[]
  readonly reasons: readonly LineReason[]
  /** Checkpoints of sibling worktrees, offered by name and never injected. */
  /** Of a rest: how many pieces did not fit into it either. */
  readonly leftOut?: number
  readonly offered: readonly {
    readonly worktree: string
    readonly branch?: string
    readonly checkpointId: CheckpointId
  }[]
}

/** What a starting session is given. */
export interface RecoveryUseCases {
  /** What a session starting now in `cwd` would be told. */
  previewRecovery(input: {
    readonly cwd: string
    readonly harness?: string
    readonly sessionKey?: SessionKey
    /** Instead of the block: what it leaves out or cuts short, in at most so many characters. */
    readonly restChars?: number
    /** Whose rest; absent: of whoever speaks to a session there. Refuses one that is not known in this project. */
    readonly restOf?: SessionKey
  }): Promise<RecoveryBlock>
}
