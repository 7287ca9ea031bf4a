import type { SessionId } from '../id.ts'
import type { Finding } from './findings.ts'

/** What was seen of an approach that failed, kept with the memory that tells of it. */
export interface FailureEvidence extends Finding {
  /** In which it failed, newest last. */
  readonly sessions: readonly SessionId[]
  /** Which start of the newest session: what was said before a compaction is forgotten. */
  readonly epoch: number
  /** How the command came to go well again; absent while it fails. */
  readonly resolved?: {
    readonly sessionId: SessionId
    readonly seq: number
    readonly files: readonly string[]
  }
}
