import type { MachineRef } from '../kernel/location.ts'
import type { SyncAudience } from '../kernel/ports/sync-transport.ts'
import type { DataRecord } from '../transfer/records/record.ts'
import type { RoutedRecord } from './record.ts'

/** How far the history of this machine was read. */
export interface HistoryCursor {
  readonly eventSeq: number
  readonly checkpointSeq: number
}

export interface HistoryPage {
  readonly records: readonly RoutedRecord[]
  readonly cursor: HistoryCursor
  readonly isEnd: boolean
}

/** Where records come from. */
export interface RecordSource {
  readonly machine: MachineRef
  readonly principal: string
  readonly audience: SyncAudience
}

/** What an exchange needs from the store: everything that leaves it was redacted again, and has no value of this machine alone. */
export interface Replica {
  readonly machine: MachineRef
  /** Everything that can change, as far as this machine may send it to them: memories, rules and the like. */
  listThings(audience: SyncAudience): Promise<readonly RoutedRecord[]>
  /** One page of what this machine recorded and nothing changes: events and checkpoints. */
  readHistory(after: HistoryCursor): Promise<HistoryPage>
  /**
   * Stores them in this order; what is known or older changes nothing. Throws a `RefusedBatch` if one of them is in the
   * name of another person or machine.
   */
  storeRecords(records: readonly DataRecord[], source: RecordSource): Promise<void>
}
