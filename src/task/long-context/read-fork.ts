import { openTaskFolder } from '../task-folder.ts'
import type { TaskLink } from '../write-seen.ts'
import type { TaskWorld } from '../world.ts'
import { readSafety, type SafetyRecord } from './safety-record.ts'

/** The session that waits for this one to end, when the context budget was reached. */
export async function readFork(
  world: TaskWorld,
  link: TaskLink,
): Promise<NonNullable<SafetyRecord['fork']> | undefined> {
  const redactor = await world.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  return readSafety(folder, link.taskSession).fork ?? undefined
}
