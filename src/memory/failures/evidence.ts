import type { CommandPurpose } from '../../kernel/checkpoint.ts'
import type { SessionId } from '../../kernel/id.ts'
import { isCheck } from '../../kernel/shell/command-key.ts'
import type { Finding } from './findings.ts'

/** What was seen of an approach that failed, kept with the memory that tells of it. */
export interface FailureEvidence extends Finding {
  /** In which it failed, newest last. */
  readonly sessions: readonly SessionId[]
  /** Checked out then, where it is known. */
  readonly branch?: string
  /** The commit of its newest session when it was kept, where it is known. */
  readonly head?: string
  /** Which start of the newest session: what was said before a compaction is forgotten. */
  readonly epoch: number
  /** How the command came to go well again; absent while it fails. */
  readonly resolved?: {
    readonly sessionId: SessionId
    readonly seq: number
    readonly files: readonly string[]
  }
}

/** How a check goes depends on the code, so what is known of it holds on its branch; other commands fail on any. */
export function scopeOf(key: string, purpose: CommandPurpose, branch: string | undefined): string {
  return isCheck({ purpose }) ? `${branch ?? ''}\n${key}` : key
}

/** Every scope under which something may be known of commands that run on this branch. */
export function scopesOf(keys: readonly string[], branch: string | undefined): readonly string[] {
  return keys.flatMap((key) => [key, scopeOf(key, 'test', branch)])
}

const STALE_AFTER_MS = 14 * 86_400_000

/** Too long ago to say anything about what would happen now. */
export function isStale(seenAt: string, now: string): boolean {
  return Date.parse(now) - Date.parse(seenAt) > STALE_AFTER_MS
}
