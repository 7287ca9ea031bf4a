import type { Continuity } from '../continuity.ts'
import { createHandoffReceiving } from '../handoff/receive.ts'
import { createHistoryImport } from '../history/import.ts'
import type { Announce, ContinuityDeps } from './deps.ts'

/** What was told elsewhere: in transcripts from before Holdfast, and on other machines. */
export function createMoving(
  deps: ContinuityDeps,
  announce: Announce,
): Pick<Continuity, 'importHistory' | 'receiveHandoff'> {
  return { ...createHistoryImport(deps, announce), ...createHandoffReceiving(deps, announce) }
}
