import type { CheckpointTrigger } from '../checkpoint.ts'
import type { EventKind } from '../event.ts'
import type { ProjectId, SessionId, SessionKey } from '../id.ts'
import type { Phase } from '../session.ts'

export interface EventQuery {
  /** Only events with a larger sequence number. */
  readonly afterSeq?: number
  /** Only events with a smaller one. */
  readonly beforeSeq?: number
  readonly sessionId?: SessionId
  readonly kinds?: readonly EventKind[]
  /** The newest ones, in descending order. */
  readonly isNewestFirst?: boolean
  readonly limit: number
}

export interface SessionQuery {
  readonly projectId?: ProjectId
  readonly worktree?: string
  readonly phases?: readonly Phase[]
  /** Only those that follow this session in the list. */
  readonly afterSession?: SessionId
  readonly limit: number
}

export interface CheckpointQuery {
  readonly projectId?: ProjectId
  /** As in the Session Continuity Protocol's `project`: compared with the raw and the normalised path. */
  readonly project?: string
  readonly sessionId?: SessionId
  readonly sessionKey?: SessionKey
  readonly worktree?: string
  readonly branch?: string
  readonly name?: string
  /** Created at or after this time. */
  readonly since?: string
  readonly excludeSessions?: readonly SessionId[]
  readonly trigger?: CheckpointTrigger
  /** Only older ones than the one with this number in the store's order. */
  readonly beforeSeq?: number
  readonly limit: number
}
