import type { Ended } from '../model/rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import { commitRecords, commitWork } from './commit-work.ts'
import type { OpenTask } from '../files/open-task.ts'
import { writePatchBundle } from './patch-bundle.ts'

function without(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}`
}

/** A commit where policy and tree allow one, else a patch bundle that was proven to apply. */
export async function secureWork(
  task: OpenTask,
  { session_id: id, goal }: TaskSession,
): Promise<readonly [Ended['work'], string]> {
  const { folder } = task
  // Redacted before its line ends go and it is cut: what is left of a key then is not told from other letters.
  const words = folder.redactor.redact(goal ?? 'session work').replace(/\s+/g, ' ')
  const subject = `${folder.slug}: ${words}`.slice(0, 100)
  const commit = await commitWork(task, `${subject}\n\nTask-Session: ${id}`)
  if (commit.kind === 'commit') return [commit, `committed ${commit.commit.slice(0, 12)}${without(commit.leftOut)}`]
  const bundle = await writePatchBundle(folder, id)
  if (bundle.kind === 'none') {
    const { reason } = bundle
    return [{ kind: 'none', reason }, `${commit.reason}; ${reason}`]
  }
  const where = `${folder.pathOf(bundle.file)}${without(bundle.leftOut)}`
  return [bundle, `not committed: ${commit.reason}; patch bundle ${where}`]
}

/** Where the work was committed, what the end wrote about it is too: the tree is left clean. */
export async function secureRecords(
  task: OpenTask,
  { session_id: id }: TaskSession,
  work: Ended['work'],
): Promise<void> {
  if (work.kind === 'commit') await commitRecords(task, `${task.folder.slug}: records of ${id}`)
}
