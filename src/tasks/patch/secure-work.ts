import type { Ended } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { OpenTask } from '../files/open-task.ts'
import { writePatchBundle } from './patch-bundle.ts'
import { runGitFully } from '../../platform/git/git-write.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'

type Commit =
  | { readonly kind: 'commit'; readonly commit: string; readonly leftOut: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

async function tell(root: string, args: readonly string[]): Promise<string | undefined> {
  const { exitStatus, stdout } = await runGitFully(root, args)
  return exitStatus === 0 ? stdout.toString('utf8').trim() : undefined
}

async function untrackedIn(root: string): Promise<readonly string[]> {
  const listed = await tell(root, ['ls-files', '--others', '--exclude-standard', '-z', ...OUTSIDE_TASKS])
  return (listed ?? '').split('\0').filter((path) => path !== '')
}

/** Why a tree is not one to commit from; undefined when it is. */
async function insanity(folder: TaskFolder, untracked: readonly string[]): Promise<string | undefined> {
  const { root } = folder
  if ((await tell(root, ['rev-parse', '--is-inside-work-tree'])) !== 'true') return 'this is no git repository'
  if ((await tell(root, ['symbolic-ref', '--quiet', 'HEAD'])) === undefined) return 'HEAD is on no branch'
  if ((await tell(root, ['ls-files', '--unmerged'])) !== '') return 'a merge is not resolved'
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'])
    if ((await tell(root, ['rev-parse', '--quiet', '--verify', name])) !== undefined)
      return `a ${name.split('_')[0]?.toLowerCase() ?? 'merge'} is under way`
  const changes = await tell(root, ['diff', 'HEAD', '--no-color', ...OUTSIDE_TASKS])
  if (folder.redactor.findings(changes ?? '').length > 0) return 'a change holds a secret'
  return untrackedSecret(folder, untracked)
}

async function untrackedSecret(folder: TaskFolder, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const shown = await runGitFully(folder.root, ['diff', '--no-index', '--no-color', '--', '/dev/null', path])
    if (folder.redactor.findings(shown.stdout.toString('utf8')).length > 0) return `${path} holds a secret`
  }
  return undefined
}

/**
 * Commits everything that is not ignored, with the repository's own hooks and filters, as its owner would: `autoCommit` asks for
 * that. What is looked at before the commit is looked at without them. A repository inside this one stays
 * out of it: nobody else could get what its commit stands for. Nothing to commit is a refusal.
 */
async function commitWork({ folder, governance }: OpenTask, message: string): Promise<Commit> {
  if (!governance.autoCommit) return { kind: 'refused', reason: 'the policy does not allow it (autoCommit is off)' }
  const { root } = folder
  const untracked = await untrackedIn(root)
  // Of what is not tracked, git lists only another repository by its folder.
  const isRepository = (path: string) => path.endsWith('/')
  const leftOut = untracked.filter(isRepository)
  const reason = await insanity(
    folder,
    untracked.filter((path) => !isRepository(path)),
  )
  if (reason !== undefined) return { kind: 'refused', reason }
  const excluded = leftOut.map((path) => `:(exclude,literal,top)${path.slice(0, -1)}`)
  const added = await runGitFully(root, ['add', '--all', ...OUTSIDE_TASKS, ...excluded], { actor: 'owner' })
  if (added.exitStatus !== 0) return { kind: 'refused', reason: added.stderr.trim() }
  if ((await runGitFully(root, ['diff', '--cached', '--quiet'])).exitStatus === 0)
    return { kind: 'refused', reason: 'nothing is uncommitted' }
  const committed = await runGitFully(root, ['commit', '--quiet', '--message', message], { actor: 'owner' })
  if (committed.exitStatus !== 0)
    return { kind: 'refused', reason: folder.redactor.redact(committed.stderr.trim()) || 'git commit failed' }
  return { kind: 'commit', commit: (await tell(root, ['rev-parse', 'HEAD'])) ?? '', leftOut }
}

/** The task's own records, once the session is over, so that an automatic commit leaves a clean tree. */
async function commitRecords({ folder }: OpenTask, message: string): Promise<void> {
  const path = folder.pathOf('')
  const added = await runGitFully(folder.root, ['add', '--all', '--', path], { actor: 'owner' })
  if (added.exitStatus === 0)
    await runGitFully(folder.root, ['commit', '--quiet', '--message', message, '--', path], { actor: 'owner' })
}

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
