/** What a home stores about its exchanges with other machines. None of it ever travels. */
export const SYNC_TOPICS = [
  /** A space that was added, or the address of one. */
  'space',
  /** Another machine of a space, with its keys. */
  'member',
  /** The last record of a log that was sent or read. */
  'position',
  /** How far sessions were sent. */
  'progress',
  /** The version of a thing that a space has, and the machine that sent it. */
  'version',
  /** A sealed batch that is not known to have arrived. */
  'outbox',
  /** A batch that was refused; it is tried again. */
  'refused',
] as const
export type SyncTopic = (typeof SYNC_TOPICS)[number]

export interface SyncEntryName {
  readonly topic: SyncTopic
  /** The space; empty for what concerns all. */
  readonly space: string
  readonly name: string
}

export interface SyncEntry extends SyncEntryName {
  /** JSON. */
  readonly body: string
}

export interface SyncStore {
  /** By name. */
  listSyncEntries(query: {
    readonly topic: SyncTopic
    readonly space: string
    readonly names?: readonly string[]
  }): Promise<readonly SyncEntry[]>
  /** In one transaction. A saved entry replaces the one with its name. */
  writeSyncEntries(change: {
    readonly saved?: readonly SyncEntry[]
    readonly removed?: readonly SyncEntryName[]
  }): Promise<void>
  /** Deletes every entry of a space. */
  forgetSyncSpace(space: string): Promise<void>
}
