import type { ArchiveFilter, EraseReport, FindResult } from '../kernel/archive.ts'
import type { ProjectId, SessionKey } from '../kernel/id.ts'
import type { Memory } from '../kernel/memory.ts'

export interface FindInput extends ArchiveFilter {
  readonly text: string
  /** Only the project of this folder. */
  readonly cwd?: string
  readonly offset?: number
  readonly limit: number
}

export interface FindUseCases {
  /** Full-text search in every session, memory and checkpoint of every project that does not opt out; more matched words first, then newer. */
  find(input: FindInput): Promise<FindResult>
}

/** Exactly one of session, folder, project and person. */
export interface EraseInput {
  readonly session?: SessionKey
  readonly harness?: string
  readonly cwd?: string
  readonly projectId?: ProjectId
  /** Everything that the person of this home wrote, in every project. */
  readonly isPerson?: boolean
  readonly isPreview?: boolean
}

export interface EraseUseCases {
  /** Deletes everything of a session, a project or the person, and leaves a signed tombstone for other homes. Refuses a session that is running. */
  erase(input: EraseInput): Promise<EraseReport>
}

export interface OverviewPerson {
  readonly id: string
  readonly name: string
  /** The person of this home. */
  readonly isYou: boolean
  readonly sharedMemories: number
}

export interface OverviewMachine {
  readonly id: string
  readonly name: string
  /** The id of the person. */
  readonly person: string
  readonly isHere: boolean
  /** SHA-256 of its public key; absent: it has not shown one. */
  readonly keyFingerprint?: string
  /** Of those with the latest activity in this store. */
  readonly sessions: number
  /** By its own clock. */
  readonly lastActiveAt?: string
}

export interface TeamOverview {
  readonly people: readonly OverviewPerson[]
  readonly machines: readonly OverviewMachine[]
  /** Memories that are shared with a team, newest first. */
  readonly shared: readonly {
    readonly memory: Memory
    /** The id of the person. */
    readonly author: string
    /** The name of the machine on which it was stored. */
    readonly machine: string
    /** Where its repository is, if that is known. */
    readonly folder?: string
    /** Whether the folder is on this machine. */
    readonly isHere: boolean
  }[]
}

export interface TeamOverviewUseCases {
  /** People, machines and shared memories of every project that this store knows of. Asks no other machine. */
  readTeam(): Promise<TeamOverview>
}
