import type { TaskLink } from '../files/find-links.ts'
import { areFilesDue, type WorkSeen } from '../model/work-seen.ts'
import { openTask } from '../files/open-task.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

const NAMED_FILES = 8

/** The mandatory checkpoints of what was seen, for a session that is still under way. */
export async function writeSeenWork(world: TaskWorld, link: TaskLink, work: WorkSeen): Promise<void> {
  const task = await openTask(world, { cwd: link.root, slug: link.slug })
  const session = readSession(task.folder, link.taskSession)
  if (session?.state !== 'active') return
  const request = { session, isObserved: true }
  const files = [...work.files].map(([path, action]) => ({ path, action }))
  if (areFilesDue(work)) {
    const named = files.slice(0, NAMED_FILES).map(({ path, action }) => `${action} ${path}`)
    const rest = files.length - named.length
    const summary = rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
    await writeCheckpoint(world, task, { ...request, type: 'file_change', content: { files, summary } })
  }
  for (const recovery of work.recoveries)
    await writeCheckpoint(world, task, { ...request, type: 'error_recovery', content: { errors: [recovery] } })
  for (const decision of work.decisions)
    await writeCheckpoint(world, task, { ...request, type: 'decision', content: { decisions: [decision] } })
}
