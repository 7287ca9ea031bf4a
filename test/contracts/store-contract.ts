import type { Store } from '../../src/kernel/ports/ports.ts'
import { checklistContract } from './store-contract-checklist.ts'
import { checkpointContract } from './store-contract-checkpoints.ts'
import { doorContract } from './store-contract-agent-records.ts'
import { ledgerContract } from './store-contract-ledgers.ts'
import { locationContract } from './store-contract-locations.ts'
import { logContract } from './store-contract-log.ts'
import { memoryContract } from './store-contract-memories.ts'
import { pruneContract } from './store-contract-prune.ts'
import { pruneEventsContract } from './store-contract-prune-events.ts'
import { ruleContract } from './store-contract-rules.ts'
import { receiptContract } from './store-contract-start-outcomes.ts'
import { sessionContract } from './store-contract-sessions.ts'
import { syncContract } from './store-contract-sync.ts'
import { workItemContract } from './store-contract-work-items.ts'

export interface OpenedStore extends AsyncDisposable {
  readonly store: Store
  /** Runs a statement behind the store's back, as damage or a meddler would. */
  tamper(statement: string): Promise<void>
}

export type OpenStoreForTest = () => Promise<OpenedStore>

/** Everything that `Store` promises. Every implementation runs all of it. */
export function storeContract(open: OpenStoreForTest): void {
  logContract(open)
  sessionContract(open)
  checkpointContract(open)
  pruneContract(open)
  pruneEventsContract(open)
  memoryContract(open)
  workItemContract(open)
  ledgerContract(open)
  receiptContract(open)
  doorContract(open)
  checklistContract(open)
  locationContract(open)
  ruleContract(open)
  syncContract(open)
}
