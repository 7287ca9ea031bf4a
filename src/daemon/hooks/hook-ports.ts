import type { SpoolEntry } from '../../spool/spool-entry.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import type { Connector } from '../../harness/contract/connector.ts'
import type { Background } from '../process/background.ts'
import type { FullDisk } from '../housekeeping/full-disk.ts'
import type { ReceiptSources } from './hook-call.ts'
import type { Metrics } from '../housekeeping/metrics.ts'

/** What stands behind the hooks' door. */
export interface HookDoorDeps extends ReceiptSources {
  readonly record: ContinuityEngine['record']
  readonly continuity: Pick<ContinuityEngine, 'inject' | 'recoverUnkept' | 'confirmInjection' | 'readTranscript'>
  readonly sight: (seen: Parameters<Store['recordSighting']>[0]) => void
  readonly getConnector: (id: string) => Connector
  /** Spools a call for a harness that cannot do it itself. False when that failed too. */
  readonly park: (entry: SpoolEntry) => Promise<boolean>
  /** Resolves when everything that was spooled before now is kept: a session's events stay in order. */
  readonly backlog: () => Promise<void>
  /** Why a session may not begin anything new. */
  readonly refusalOf: (event: SessionEvent) => string | undefined
  /** What a full disk made us lose, until a session was told. */
  readonly lossNotice: () => ReturnType<FullDisk['notice']>
  readonly redact: (text: string) => string
  readonly log: Log
  readonly metrics: Pick<Metrics, 'observeHook' | 'countEvent'>
  readonly background: Background
}
