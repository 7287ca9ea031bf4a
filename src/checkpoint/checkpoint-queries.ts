import { HoldfastError } from '../kernel/errors.ts'
import { newestCheckpoints } from '../kernel/ports/newest-first.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { CheckpointUseCases } from './use-cases.ts'

export function createCheckpointQueries({
  store,
}: Pick<ContinuityDeps, 'store'>): Pick<CheckpointUseCases, 'listCheckpoints' | 'deleteCheckpoint'> {
  return {
    listCheckpoints: (query) => newestCheckpoints(store, query),
    async deleteCheckpoint(id) {
      if (await store.deleteCheckpoint(id)) return
      throw new HoldfastError('not-found', `There is no checkpoint ${id}.`, {
        hint: 'Run `holdfast checkpoints list` to see the known ones.',
      })
    },
  }
}
