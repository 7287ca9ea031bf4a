import { openTaskFolder } from '../files/task-folder.ts'
import type { TaskLink } from '../files/find-links.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { readSafety, type SafetyRecord } from '../context-safety/io/safety-record.ts'

/** The session that waits for this one to end, when the context budget was reached. */
export async function readFork(
  world: TaskWorld,
  link: TaskLink,
): Promise<NonNullable<SafetyRecord['fork']> | undefined> {
  const redactor = await world.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  return readSafety(folder, link.taskSession).fork ?? undefined
}
