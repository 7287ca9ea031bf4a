import type { ArchiveFilter, EraseReport, FindResult } from '../kernel/archive.ts'
import type { ProjectId, SessionKey } from '../kernel/id.ts'

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
