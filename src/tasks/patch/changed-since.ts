import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import { hashProjectFile } from '../../platform/files/project-hash.ts'
import type { OpenTask } from '../files/open-task.ts'
import type { TaskWorld } from '../files/task-ports.ts'

const MAX_HASHED_BYTES = 1
const LOOKED_AT = 100

/** Preconditions of a chained session: what was true at the last checkpoint and is not any more, in words. */
export async function changedSince(
  world: TaskWorld,
  { folder, place }: OpenTask,
  checkpoint: TaskCheckpoint | null,
): Promise<readonly string[]> {
  if (checkpoint === null) return []
  const { git, files_changed: files, evidence } = checkpoint.state
  const now = await world.git.state(place.worktree)
  const [head, branch] = [git?.head ?? undefined, git?.branch ?? undefined]
  const hasHead = head === undefined ? true : await world.git.hasCommit(place.worktree, head)
  const gone = files
    .filter(({ action }) => action !== 'deleted')
    .slice(0, LOOKED_AT)
    .filter(({ path }) => !isThere(place.worktree, path))
  return [
    ...(hasHead === false ? [`the commit ${head?.slice(0, 12) ?? ''} is gone`] : []),
    ...(branch !== undefined && now?.branch !== undefined && now.branch !== branch
      ? [`the branch is ${now.branch}, and was ${branch}`]
      : []),
    ...gone.map(({ path }) => `${path} is gone`),
    ...evidence
      .filter(({ path }) => folder.bytes(path) === undefined)
      .map(({ path }) => `${folder.pathOf(path)} is gone`),
  ]
}

function isThere(root: string, path: string): boolean {
  return hashProjectFile({ root, path }, MAX_HASHED_BYTES).isThere
}
