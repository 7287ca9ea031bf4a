/** Who can open a sealed batch: the machines of its author, or every member. */
export type SyncAudience = 'me' | 'team'

/** The log of one machine for one repository, as others see it. */
export interface SyncLog {
  /** An opaque key, the same on every machine. */
  readonly repository: string
  readonly machine: string
  /** The number of its last record. */
  readonly head: number
}

/** Consecutive records of one log, encrypted and signed. It never changes after it was written. */
export interface SealedBatch {
  readonly repository: string
  readonly machine: string
  readonly principal: string
  readonly audience: SyncAudience
  readonly first: number
  readonly last: number
  /** The ciphertext and the signature over it and the fields above. */
  readonly bytes: Uint8Array
}

/** Where machines exchange their logs: a folder, a git remote or a team server. It sees only what is sealed. */
export interface SyncTransport extends AsyncDisposable {
  listLogs(): Promise<readonly SyncLog[]>
  /** In order, from the batch that has the record after `after`; at least one batch, if there is one, then up to `maxBytes`. */
  readBatches(input: {
    readonly repository: string
    readonly machine: string
    readonly after: number
    readonly maxBytes: number
  }): Promise<readonly SealedBatch[]>
  /** The same batch again is a no-op. Another one at that place, or one that leaves a gap, is a conflict. */
  appendBatch(batch: SealedBatch): Promise<void>
  /** Small public documents: members and their keys, wrapped keys, tombstones. */
  listDocuments(prefix: string): Promise<readonly string[]>
  readDocument(name: string): Promise<Uint8Array | undefined>
  writeDocument(name: string, bytes: Uint8Array): Promise<void>
}
