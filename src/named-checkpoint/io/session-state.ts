import { HoldfastError } from '../../kernel/errors.ts'
import type { Redactors } from '../../kernel/ports/ports.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'
import { readProjectFile } from '../../platform/files/project-file.ts'

const SESSION_STATE = 'SESSION-STATE.md'
/** Of a larger one a recovery could show nothing whole. */
const MAX_BYTES = 64_000

/** What an agent keeps in `SESSION-STATE.md`, byte for byte but for secrets; undefined where there is none that may be read. */
export function createSessionState(redactors: Redactors): (worktree: string) => Promise<SessionState | undefined> {
  return async (worktree) => {
    try {
      const file = readProjectFile({ root: worktree, path: SESSION_STATE }, MAX_BYTES)
      if (file === undefined) return undefined
      const redactor = await redactors.forWorktree(worktree)
      const text = redactor.redact(new TextDecoder().decode(file.bytes).replace(/[\r\n]+$/, ''))
      return { text, modifiedAt: file.modifiedAt }
    } catch (thrown) {
      // A link, a pipe, no permission, no such folder: then it says nothing.
      if (thrown instanceof HoldfastError || (thrown instanceof Error && 'code' in thrown)) return undefined
      throw thrown
    }
  }
}
