import type { CheckpointHead, CheckpointTrigger, StoredCheckpoint } from '../kernel/checkpoint.ts'
import { CheckpointId, type SessionId } from '../kernel/id.ts'
import type { CheckpointQuery } from '../kernel/ports/store-queries.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { listNewestCheckpoints } from '../kernel/ports/newest-first.ts'
import { resolveId } from '../kernel/ports/resolve-id.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

export function createCheckpointQueries({
  store,
  locator,
}: Pick<ContinuityPorts, 'store' | 'locator'>): Pick<
  CheckpointUseCases,
  'listCheckpoints' | 'listCheckpointHeads' | 'getCheckpoint' | 'deleteCheckpoint'
> {
  return {
    async listCheckpoints({ project, ...query }) {
      if (project === undefined) return listNewestCheckpoints(store, query)
      // A link, a trailing slash or a subfolder is the same project. A folder that is gone is known by its path only.
      const { projectId } = await locator.locate(project)
      const found = await listNewestCheckpoints(store, { ...query, projectId })
      return found.length > 0 ? found : listNewestCheckpoints(store, { ...query, project })
    },
    async listCheckpointHeads({ cwd, ...query }) {
      const { projectId } = cwd === undefined ? {} : await locator.locate(cwd)
      return store.listCheckpointHeads({ ...query, projectId })
    },
    async getCheckpoint(given) {
      const stored = await store.findCheckpoint(CheckpointId(await resolveId(store, 'checkpoint', given)))
      if (stored !== undefined) return stored
      throw new HoldfastError('not-found', `Checkpoint ${given} cannot be read.`, { hint: 'Run `holdfast doctor`.' })
    },
    async deleteCheckpoint(given) {
      await store.deleteCheckpoint(CheckpointId(await resolveId(store, 'checkpoint', given)))
    },
  }
}

export interface CheckpointHeadQuery
  extends Pick<CheckpointQuery, 'sessionKey' | 'sessionId' | 'trigger' | 'beforeSeq' | 'limit'> {
  readonly cwd?: string
}

export interface CheckpointUseCases {
  /** Takes and stores a checkpoint now. Undefined if there is nothing new. Refuses an unknown session. */
  checkpoint(sessionId: SessionId, trigger: CheckpointTrigger): Promise<StoredCheckpoint | undefined>
  /** `project` may be any path of the project. */
  listCheckpoints(query: CheckpointQuery): Promise<readonly StoredCheckpoint[]>
  /** Without the work itself, newest in the log first; of the project at `cwd`, else of all. */
  listCheckpointHeads(query: CheckpointHeadQuery): Promise<readonly CheckpointHead[]>
  /** By id, or a unique prefix of it. Refuses an unknown or ambiguous one. */
  getCheckpoint(id: CheckpointId): Promise<StoredCheckpoint>
  /** Refuses an unknown id. */
  deleteCheckpoint(id: CheckpointId): Promise<void>
}
