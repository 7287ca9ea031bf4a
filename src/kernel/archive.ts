import type { ProjectId, SessionId, SessionKey } from './id.ts'

/** What `holdfast find` can find. */
export const FIND_KINDS = ['request', 'answer', 'command', 'edit', 'decision', 'note', 'memory', 'checkpoint'] as const
export type FindKind = (typeof FIND_KINDS)[number]

/** One thing that was said or done in a session, in the archive that full-text search reads. */
export interface ArchiveEntry {
  readonly seq: number
  readonly sessionId: SessionId
  readonly projectId?: ProjectId
  readonly harness: string
  readonly kind: FindKind
  readonly at: string
  readonly text: string
}

export interface ArchiveFilter {
  readonly projectId?: ProjectId
  readonly harness?: string
  readonly kinds?: readonly FindKind[]
  /** At or after this time, and before the other. */
  readonly since?: string
  readonly until?: string
}

export interface ArchiveSearch extends ArchiveFilter {
  readonly text: string
}

/** A hit, and how to open it again. */
export interface FindHit {
  readonly kind: FindKind
  /** The folder of the project; empty if it is not known any more. */
  readonly project: string
  readonly projectId?: ProjectId
  readonly session?: SessionKey
  readonly harness?: string
  /** Title of the session, as the user gave it. */
  readonly title?: string
  readonly at: string
  /** The part of the text around the first match. */
  readonly text: string
  /** Words of the query that the text has. */
  readonly matched: readonly string[]
  /** Sequence number of the event, or id of the memory or checkpoint. */
  readonly ref: string
  /** The command that opens the session again in its harness. */
  readonly reopen?: string
}

export interface FacetValue {
  readonly value: string
  readonly label: string
  readonly count: number
}

export interface FindResult {
  readonly hits: readonly FindHit[]
  /** How many of the ranked matches have each value. */
  readonly facets: Readonly<Record<'project' | 'harness' | 'kind' | 'month', readonly FacetValue[]>>
  /** False: more matches exist than were ranked, or the archive is still being filled. */
  readonly isComplete: boolean
}

/** How many rows of each kind were erased, or would be. */
export interface EraseReport {
  readonly sessions: number
  readonly events: number
  readonly checkpoints: number
  readonly memories: number
  readonly rules: number
  readonly archive: number
  readonly injections: number
  readonly intents: number
  readonly summaries: number
  readonly other: number
  /** Copies of the whole store, which hold it too. */
  readonly backups: number
}

export const NOTHING_ERASED: EraseReport = {
  sessions: 0,
  events: 0,
  checkpoints: 0,
  memories: 0,
  rules: 0,
  archive: 0,
  injections: 0,
  intents: 0,
  summaries: 0,
  other: 0,
  backups: 0,
}
