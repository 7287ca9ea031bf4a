import type { CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { CheckpointId, SessionId } from '../kernel/id.ts'
import type { CheckpointQuery } from '../kernel/ports/ports.ts'

/** Checkpoints: take, list, delete. */
export interface CheckpointUseCases {
  /** Composes and keeps a checkpoint now. Undefined when there is nothing new to say. Refuses an unknown session. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined>
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** Refuses an unknown id. */
  deleteCheckpoint(id: CheckpointId): Promise<void>
}
