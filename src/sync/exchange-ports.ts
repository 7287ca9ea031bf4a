import type { Clock } from '../kernel/ports/ports.ts'
import type { SyncAudience, SyncTransport } from '../kernel/ports/sync-transport.ts'
import type { KnownMember, SyncLedger } from './ledger.ts'
import type { Replica } from './replica.ts'
import type { Sealer, SpaceKey } from './sealing.ts'

export interface ExchangeProgress {
  readonly sent: number
  readonly received: number
}

/** One exchange with one space. */
export interface ExchangePorts {
  readonly transport: SyncTransport
  readonly replica: Replica
  readonly ledger: SyncLedger
  readonly sealing: Sealer
  readonly keys: readonly SpaceKey[]
  /** The other machines. */
  readonly members: ReadonlyMap<string, KnownMember>
  readonly principal: string
  /** What travels there. */
  readonly audiences: readonly SyncAudience[]
  /** Which of it this machine may send; absent: all. */
  readonly sentAudiences?: readonly SyncAudience[]
  /** What is for one person is encrypted to a key that only that person's machines have. */
  readonly hasPersonKeys?: boolean
  /** The records are signed and not encrypted. */
  readonly isPlain: boolean
  /** Hex. */
  readonly sha256: (text: string) => string
  readonly clock: Pick<Clock, 'now'>
  /** Whether to stop after the current batch; the next exchange continues there. */
  readonly shouldStop: () => boolean
  readonly onProgress: (progress: ExchangeProgress) => void
}
