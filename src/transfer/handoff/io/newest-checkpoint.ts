import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import type { CheckpointUseCases } from '../../../checkpoint/use-cases.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Place } from '../../../kernel/project.ts'
import type { Session } from '../../../kernel/session.ts'

/** The newest checkpoint of this worktree, brought up to what was seen since; of where it was before, if it was moved since. */
export async function newestCheckpoint(
  continuity: Pick<CheckpointUseCases, 'checkpoint' | 'listCheckpoints'>,
  { projectId, worktree, formerWorktree }: Place,
  sessions: readonly Session[],
): Promise<Checkpoint> {
  for (const folder of [worktree, formerWorktree]) {
    if (folder === undefined) continue
    const newest = sessions.find(({ place, hasNewWork }) => place?.worktree === folder && hasNewWork)
    if (newest !== undefined) await continuity.checkpoint(newest.id, 'periodic')
    const [stored] = await continuity.listCheckpoints({ projectId, worktree: folder, limit: 1 })
    if (stored !== undefined) return stored.checkpoint
  }
  throw new HoldfastError('not-found', `Nothing is known about work in ${worktree}.`, {
    hint: 'Work in a connected harness there, or run `holdfast import`.',
  })
}
