import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { Announce, ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createHandoffReceiving, type ReceivedHandoff } from './handoff/receive-handoff.ts'
import { createHistoryImport, type HistoryAnswer, type HistoryBatch } from './import/import-history.ts'

/** Sessions from transcripts and checkpoints from other machines. */
export interface TransferUseCases {
  /** A stretch of a transcript whose session is over. A stretch that was kept before is a no-op, and so is a session that hooks told of. */
  importHistory(batch: HistoryBatch): Promise<HistoryAnswer>
  /** Keeps a checkpoint from another machine, for the next session in that worktree. The same one there again is a no-op. */
  receiveHandoff(handoff: ReceivedHandoff): Promise<StoredCheckpoint>
}

export function createTransfer(deps: ContinuityDeps, announce: Announce): TransferUseCases {
  return { ...createHistoryImport(deps, announce), ...createHandoffReceiving(deps, announce) }
}
