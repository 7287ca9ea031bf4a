import type { CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { CheckpointId, SessionId } from '../kernel/id.ts'
import type { CheckpointQuery } from '../kernel/ports/ports.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { listNewestCheckpoints } from '../kernel/ports/newest-first.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

export function createCheckpointQueries({
  store,
}: Pick<ContinuityPorts, 'store'>): Pick<CheckpointUseCases, 'listCheckpoints' | 'deleteCheckpoint'> {
  return {
    listCheckpoints: (query) => listNewestCheckpoints(store, query),
    async deleteCheckpoint(id) {
      if (await store.deleteCheckpoint(id)) return
      throw new HoldfastError('not-found', `No checkpoint ${id}.`, {
        hint: 'Run `holdfast checkpoints list` to see the known ones.',
      })
    },
  }
}

export interface CheckpointUseCases {
  /** Takes and stores a checkpoint now. Undefined if there is nothing new. Refuses an unknown session. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined>
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** Refuses an unknown id. */
  deleteCheckpoint(id: CheckpointId): Promise<void>
}
