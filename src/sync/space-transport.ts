import type { SyncTransport } from '../kernel/ports/sync-transport.ts'

/** A transport whose content can be removed again. */
export interface SpaceTransport extends SyncTransport {
  /** Removes what this machine wrote, and everything when no other member is left. Returns the number of files. */
  forgetMachine(machine: string): Promise<number>
  /** Whether this machine may send what is for the team; absent: it may. */
  mayShare?(): Promise<boolean>
}
