import type { SessionEvent, StoredEvent } from '../kernel/event.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { EventQuery, HookSighting, StoreCounts } from '../kernel/ports/ports.ts'
import type { Location } from '../kernel/location.ts'
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
  readonly limit: number
}

export interface CaptureUseCases {
  /** Redacts the event and stores it durably before it resolves. A known id is a no-op. */
  record(event: SessionEvent): Promise<RecordResult>
  /** Stores several in order; all are durable when it resolves. */
  recordAll(events: readonly SessionEvent[]): Promise<readonly RecordResult[]>
  listSessions(input: SessionListInput): Promise<readonly Session[]>
  /** By key; refuses an unknown or ambiguous one, naming the harnesses. */
  getSession(key: SessionKey, harness?: string): Promise<Session>
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>
  locate(cwd: string): Promise<Location>
  sightings(harness?: string): Promise<readonly HookSighting[]>
  counts(): Promise<StoreCounts>
}
