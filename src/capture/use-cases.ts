import type { SessionEvent, StoredEvent } from '../kernel/event.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { EventQuery, Sighting, StoreCounts } from '../kernel/ports/ports.ts'
import type { Place } from '../kernel/project.ts'
import type { Phase, Session } from '../kernel/session.ts'

export interface Recorded {
  readonly seq: number
  /** False when the event was known already. */
  readonly isNew: boolean
  readonly session: Session
}

export interface SessionListInput {
  readonly cwd?: string
  readonly phases?: readonly Phase[]
  readonly limit: number
}

/** Events and sessions: record them, list them. */
export interface CaptureUseCases {
  /** Redacts, then keeps the event durably; resolves only after that. A known id is a no-op. */
  record(event: SessionEvent): Promise<Recorded>
  /** Keeps several in order; each durable before this resolves. */
  recordAll(events: readonly SessionEvent[]): Promise<readonly Recorded[]>
  listSessions(input: SessionListInput): Promise<readonly Session[]>
  /** By key; refuses an unknown or ambiguous one, naming the harnesses. */
  getSession(key: SessionKey, harness?: string): Promise<Session>
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>
  locate(cwd: string): Promise<Place>
  sightings(harness?: string): Promise<readonly Sighting[]>
  counts(): Promise<StoreCounts>
}
