import type { SessionEvent, StoredEvent } from '../kernel/event.ts'
import type { SessionId, SessionKey } from '../kernel/id.ts'
import type { HookSighting, StoreCounts } from '../kernel/ports/ports.ts'
import type { EventQuery } from '../kernel/ports/store-queries.ts'
import type { Location } from '../kernel/location.ts'
import type { RemovalPage, RemovalQuery } from './removals.ts'
import type { ContentEntry } from './session-content.ts'
import type { Phase, Session } from '../kernel/session.ts'

export interface RecordResult {
  readonly seq: number
  /** False if the event was known already. */
  readonly isNew: boolean
  readonly session: Session
}

export interface SessionListInput {
  readonly cwd?: string
  readonly phases?: readonly Phase[]
  /** Only those that may still be working: their process runs, or was active recently if it cannot be checked. */
  readonly isLive?: boolean
  /** Archived ones too. */
  readonly includeArchived?: boolean
  /** Only those that follow this session in the list. */
  readonly afterSession?: SessionId
  readonly limit: number
}

export interface LabelInput {
  readonly sessionKey: SessionKey
  readonly harness?: string
  /** Empty: removes the title. */
  readonly title?: string
  readonly addTags?: readonly string[]
  readonly removeTags?: readonly string[]
  readonly isPinned?: boolean
  readonly isArchived?: boolean
  /** The members of the team may see its checkpoints and continue its work. */
  readonly isShared?: boolean
}

export interface ContentInput {
  readonly sessionKey: SessionKey
  readonly harness?: string
  readonly afterSeq?: number
  readonly limit: number
}

/** How to open a session again in its harness. */
export interface ReopenCommand {
  readonly harness: string
  readonly sessionKey: SessionKey
  /** The folder to run the command in. */
  readonly cwd?: string
  /** Absent if the harness has no command for it, or it is unknown. */
  readonly command?: readonly string[]
  /** The command as typed in a shell, with the change of folder. */
  readonly text?: string
}

export interface CaptureUseCases {
  /** Redacts the event and stores it durably before it resolves. A known id is a no-op. */
  record(event: SessionEvent): Promise<RecordResult>
  /** Stores several in order; all are durable when it resolves. */
  recordAll(events: readonly SessionEvent[]): Promise<readonly RecordResult[]>
  listSessions(input: SessionListInput): Promise<readonly Session[]>
  /** By key, or by a unique prefix of it; refuses an unknown or ambiguous one, naming the candidates. */
  getSession(key: SessionKey, harness?: string): Promise<Session>
  labelSession(input: LabelInput): Promise<Session>
  /** What was said and done in the session, in order. */
  readSession(input: ContentInput): Promise<readonly ContentEntry[]>
  reopenCommand(key: SessionKey, harness?: string): Promise<ReopenCommand>
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>
  /** Kinds of secrets that were removed from events, newest first. */
  listRemovals(query: RemovalQuery): Promise<RemovalPage>
  locate(cwd: string): Promise<Location>
  sightings(harness?: string): Promise<readonly HookSighting[]>
  counts(): Promise<StoreCounts>
}
