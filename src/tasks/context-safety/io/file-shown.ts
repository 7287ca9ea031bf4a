import { HoldfastError } from '../../../kernel/errors.ts'
import { isScratch, relativePath } from '../../../kernel/paths/paths.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'

/** As much as the probe looks at in all. */
const SHOWN_CHARS = 8_000
const MAX_BYTES = 1_000_000

export interface Opened {
  readonly path: string
  readonly cwd: string | undefined
  readonly worktree: string
}

/**
 * The beginning of a file that an agent opened, as it is now: of what a file-reading tool showed nothing is kept. Undefined for what
 * lies outside the worktree, is no plain file of it, or is gone.
 */
export function readFileShown({ path, cwd, worktree }: Opened): string | undefined {
  const inside = relativePath(path, { worktree, ...(cwd !== undefined && { cwd }) })
  if (inside === undefined || isScratch(inside)) return undefined
  try {
    const file = readProjectFile({ root: worktree, path: inside }, MAX_BYTES)
    return file === undefined
      ? undefined
      : new TextDecoder().decode(file.bytes.subarray(0, SHOWN_CHARS * 4)).slice(0, SHOWN_CHARS)
  } catch (thrown) {
    // A link, a pipe, something huge: whatever it is, no checkpoint fails over it.
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}
