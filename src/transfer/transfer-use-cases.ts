import type { Continuity } from '../app/continuity.ts'
import { createHandoffReceiving } from './handoff/receive-handoff.ts'
import { createHistoryImport } from './import/import-history.ts'
import type { Announce, ContinuityDeps } from '../kernel/runtime.ts'

/** What was told elsewhere: in transcripts from before Holdfast, and on other machines. */
export function createMoving(
  deps: ContinuityDeps,
  announce: Announce,
): Pick<Continuity, 'importHistory' | 'receiveHandoff'> {
  return { ...createHistoryImport(deps, announce), ...createHandoffReceiving(deps, announce) }
}
