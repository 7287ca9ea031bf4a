import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createHandoffReceiving, type ReceivedHandoff } from './handoff/receive-handoff.ts'
import { createRecordExport, type RecordExport } from './records/export-records.ts'
import { createRecordImport, type RecordImport } from './records/import-records.ts'
import { createHistoryImport, type HistoryAnswer, type HistoryBatch } from './import/import-history.ts'

/** Imports transcripts and receives checkpoints from other machines. */
export interface TransferUseCases extends RecordExport, RecordImport {
  /** Imports a part of the transcript of an ended session. A part that was stored before is a no-op, and so is a session that hooks reported. */
  importHistory(batch: HistoryBatch): Promise<HistoryAnswer>
  /** Stores a checkpoint from another machine for the next session in that worktree. A repetition is a no-op. */
  receiveHandoff(handoff: ReceivedHandoff): Promise<StoredCheckpoint>
}

export function createTransfer(ports: ContinuityPorts, announce: Announce): TransferUseCases {
  const records = createRecordExport(ports)
  return {
    exportRecords: (input) => records.exportRecords(input),
    ...createRecordImport(ports, announce),
    ...createHistoryImport(ports, announce),
    ...createHandoffReceiving(ports, announce),
  }
}
