import type { SealRefusal } from './sealing.ts'

export const SPACE_KINDS = ['folder', 'ssh', 'git', 'team'] as const
export type SpaceKind = (typeof SPACE_KINDS)[number]
export const MEMBER_STATES = ['accepted', 'waiting', 'left', 'refused'] as const

/** A place where machines exchange what they recorded. */
export interface SyncSpace {
  /** Names it in commands. */
  readonly id: string
  readonly kind: SpaceKind
  readonly address: string
  /** Signed and not encrypted; git only. */
  readonly isPlain: boolean
  readonly addedAt: string
}

export interface SpaceMember {
  readonly machine: string
  readonly name: string
  readonly state: (typeof MEMBER_STATES)[number]
  readonly since: string
}

export interface RefusedRecords {
  readonly machine: string
  /** The name of the machine, if it is known. */
  readonly name?: string
  readonly first: number
  readonly last: number
  readonly reason: string
  readonly refusal: SealRefusal
  readonly at: string
}

export interface SpaceExchange {
  readonly at: string
  readonly isOk: boolean
  readonly sent: number
  readonly received: number
  /** Why it failed. */
  readonly error?: string
  readonly hint?: string
}

export interface SpaceStatus extends SyncSpace {
  readonly isRunning: boolean
  /** This machine waits until another member gives it the key. */
  readonly isWaiting: boolean
  /** False for a reader of a team: what was shared is not sent. */
  readonly mayShare: boolean
  /** The other machines. */
  readonly members: readonly SpaceMember[]
  readonly lastExchange?: SpaceExchange
  /** When an exchange last succeeded. */
  readonly lastSuccessAt?: string
  /** Events that the next exchange will look at. */
  readonly waitingEvents: number
  /** Batches that were sealed and have not arrived. */
  readonly waitingBatches: number
  readonly refused: readonly RefusedRecords[]
}

export interface SyncStatus {
  readonly machine: { readonly id: string; readonly name: string }
  readonly spaces: readonly SpaceStatus[]
}

export interface AddSpaceInput {
  /** A folder, ssh://host/path, a git remote or its address. */
  readonly address: string
  readonly cwd: string
  readonly isPlain?: boolean
  /** The user said yes to a git remote that others may be able to read. */
  readonly isPublicAllowed?: boolean
}

export interface RunSyncInput {
  /** Its id or address. Absent: all. */
  readonly space?: string
  /** A clone that is to be known before records of its repository are stored. */
  readonly cwd?: string
  /** Starts nothing: waits for what runs. */
  readonly isWaitOnly?: boolean
  /** Returns after this time even if it is not done. */
  readonly waitMs?: number
}

export interface RunSyncAnswer {
  readonly isDone: boolean
  readonly sent: number
  readonly received: number
}

export interface RemoveSpaceInput {
  readonly space: string
  /** Leaves what this machine wrote there. */
  readonly isKept?: boolean
}

export interface RemoveSpaceAnswer {
  /** Files that were removed there. */
  readonly removed: number
}

/** Exchanges with the user's other machines, without a server. */
export interface SyncUseCases {
  addSpace(input: AddSpaceInput): Promise<SyncSpace>
  removeSpace(input: RemoveSpaceInput): Promise<RemoveSpaceAnswer>
  /** One exchange now. Answers early; call it again with `isWaitOnly` until it is done. */
  runSync(input: RunSyncInput): Promise<RunSyncAnswer>
  syncStatus(): Promise<SyncStatus>
  /** With `sync.acceptMachines` at `ask`: gives the key to a machine that waits. */
  acceptMachine(input: { readonly space: string; readonly machine: string }): Promise<SpaceMember>
}
