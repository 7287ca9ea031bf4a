import { createGit, runGit } from './git.ts'
import { OWN_OBJECTS_ONLY } from './own-objects.ts'

/** Walking the whole history of a large repository takes seconds; nobody waits for this one. */
const TIMEOUT_MS = 20_000

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/**
 * The oldest commit without a parent; undefined before the first commit, in a shallow clone, where git does not answer, and where the
 * commit is not among the repository's own objects.
 */
export async function readRootCommit(worktree: string): Promise<string | undefined> {
  const shallow = await runGit(worktree, ['rev-parse', '--is-shallow-repository'])
  if (shallow?.exitStatus !== 0 || shallow.stdout.trim() !== 'false') return undefined
  const roots = await runGit(worktree, ['rev-list', '--max-parents=0', 'HEAD'], {
    timeoutMs: TIMEOUT_MS,
    settings: OWN_OBJECTS_ONLY,
  })
  const oldest = roots?.exitStatus === 0 ? roots.stdout.trim().split('\n').at(-1) : undefined
  if (oldest === undefined || !COMMIT.test(oldest)) return undefined
  return (await createGit().heldCommits(worktree, [oldest]))?.has(oldest) === true ? oldest : undefined
}
