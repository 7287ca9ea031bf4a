import { HoldfastError } from '../../kernel/errors.ts'
import type { Git } from '../../kernel/ports/ports.ts'

/**
 * Another project's text is never told, whoever asks for it to be kept: one of the commits that the work stands on has to be here.
 * Work that stands on none, as without git, is of whichever folder it was taken to.
 */
export async function refuseOtherProject(
  worktree: string,
  commits: readonly string[],
  git: Pick<Git, 'hasCommit'>,
): Promise<void> {
  for (const commit of commits) if ((await git.hasCommit(worktree, commit)) === true) return
  if (commits.length === 0) return
  throw new HoldfastError(
    'conflict',
    `None of the commits that this work stands on is in ${worktree}: it is of another project, and is not told here.`,
    { hint: 'Go to a checkout of its repository; if this is one, fetch there first. Nothing was kept.' },
  )
}
