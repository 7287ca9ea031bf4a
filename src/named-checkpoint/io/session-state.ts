import { HoldfastError } from '../../kernel/errors.ts'
import type { Redactors } from '../../kernel/ports/ports.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'
import { readProjectFile } from '../../platform/files/project-file.ts'

const SESSION_STATE = 'SESSION-STATE.md'
/** A larger file does not fit into a recovery. */
const MAX_BYTES = 64_000

/** Reads `SESSION-STATE.md`, redacted; undefined if it is missing or unreadable. */
export function createSessionState(redactors: Redactors): (worktree: string) => Promise<SessionState | undefined> {
  return async (worktree) => {
    try {
      const file = readProjectFile({ root: worktree, path: SESSION_STATE }, MAX_BYTES)
      if (file === undefined) return undefined
      const redactor = await redactors.forWorktree(worktree)
      const text = redactor.redact(new TextDecoder().decode(file.bytes).replace(/[\r\n]+$/, ''))
      return { text, modifiedAt: file.modifiedAt }
    } catch (thrown) {
      // A link, a pipe, no permission, or no such folder.
      if (thrown instanceof HoldfastError || (thrown instanceof Error && 'code' in thrown)) return undefined
      throw thrown
    }
  }
}
