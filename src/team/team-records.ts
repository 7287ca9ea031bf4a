import type { CallerRole, TeamRole } from './team-role.ts'

export interface TeamPerson {
  readonly person: string
  readonly name: string
  readonly role: TeamRole
  readonly joinedAt: string
}

export interface TeamMachine {
  readonly machine: string
  readonly person: string
  readonly name: string
  readonly joinedAt: string
  /** Absent while its key works. */
  readonly leftAt?: string
  /** The day of its last exchange. */
  readonly seenOn?: string
}

/** The caller and the team, as the server sees them. */
export interface TeamStanding {
  readonly team: string
  readonly teamName: string
  readonly person: string
  readonly machine: string
  readonly role: CallerRole
  /** Rises whenever a person or a machine left: the space key must be at least this generation. */
  readonly keyGeneration: number
  readonly usedBytes: number
  readonly quotaBytes: number
  readonly serverVersion: string
}

/** Records deleted and keys revoked when a person or a machine left. */
export interface TeamDeparture {
  readonly person: string
  readonly machines: number
  readonly keys: number
  readonly privateLogs: number
  readonly privateBatches: number
  readonly privateBytes: number
  /** Not deleted: shared records belong to the team. */
  readonly sharedBatches: number
  readonly keyGeneration: number
}

/** One reader of another person's batches of a repository on one day. */
export interface TeamRead {
  readonly repository: string
  /** The machine whose log was read, and its person. */
  readonly machine: string
  readonly owner: string
  readonly reader: string
  readonly day: string
  readonly times: number
  readonly first: number
  readonly last: number
}

/** The server's reply to a machine that joins. The key is not stored anywhere else. */
export interface TeamAdmission {
  readonly team: string
  readonly teamName: string
  readonly person: string
  readonly machine: string
  readonly role: TeamRole
  readonly key: string
}
