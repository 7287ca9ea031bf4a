import type { Checkpoint } from '../core/checkpoint.ts'
import { messageOf } from '../core/errors.ts'
import { type CheckpointFolder, openCheckpointFolder } from '../named-checkpoint/folder.ts'
import { systemClock } from '../platform/clock.ts'
import { createRedactors } from '../platform/env-secrets.ts'
import { createGit } from '../platform/git.ts'
import { createPlaces } from '../platform/places.ts'
import type { CliContext } from './command.ts'

export async function checkpointFolder({ cwd, home, config }: CliContext): Promise<CheckpointFolder> {
  const { worktree: root } = await createPlaces({ clock: systemClock }).locate(cwd)
  const redactors = createRedactors({ enabled: config.redaction.envFiles, clock: systemClock })
  return openCheckpointFolder({ root, home, redactor: await redactors.forWorktree(root), git: createGit() })
}

/** What the daemon saw in this worktree last. Its absence is said, and never stops a save. */
export async function observedIn(context: CliContext, worktree: string): Promise<Checkpoint | undefined> {
  try {
    const [newest] = await (await context.continuity()).listCheckpoints({ worktree, limit: 1 })
    return newest?.checkpoint
  } catch (thrown) {
    context.io.err(`Saved without what the daemon saw: ${messageOf(thrown)}\n`)
    return undefined
  }
}
