import type { EndResult } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { OpenTask } from '../files/open-task.ts'
import { writePatchBundle } from './patch-bundle.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'

type CommitResult =
  | { readonly kind: 'commit'; readonly commit: string; readonly leftOut: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

async function runGitText(root: string, args: readonly string[]): Promise<string | undefined> {
  const { exitStatus, stdout } = await runGitFully(root, args)
  return exitStatus === 0 ? stdout.toString('utf8').trim() : undefined
}

async function listUntracked(root: string): Promise<readonly string[]> {
  const listed = await runGitText(root, ['ls-files', '--others', '--exclude-standard', '-z', ...OUTSIDE_TASKS])
  return (listed ?? '').split('\0').filter((path) => path !== '')
}

/** Why the tree cannot be committed; undefined if it can. */
async function findCommitProblem(folder: TaskFolder, untracked: readonly string[]): Promise<string | undefined> {
  const { root } = folder
  if ((await runGitText(root, ['rev-parse', '--is-inside-work-tree'])) !== 'true') return 'this is not a git repository'
  if ((await runGitText(root, ['symbolic-ref', '--quiet', 'HEAD'])) === undefined) return 'HEAD is detached'
  if ((await runGitText(root, ['ls-files', '--unmerged'])) !== '') return 'a merge is unresolved'
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'])
    if ((await runGitText(root, ['rev-parse', '--quiet', '--verify', name])) !== undefined)
      return `a ${name.split('_')[0]?.toLowerCase() ?? 'merge'} is in progress`
  const changes = await runGitText(root, ['diff', 'HEAD', '--no-color', ...OUTSIDE_TASKS])
  if (folder.redactor.findings(changes ?? '').length > 0) return 'a change holds a secret'
  return findUntrackedSecret(folder, untracked)
}

async function findUntrackedSecret(folder: TaskFolder, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const shown = await runGitFully(folder.root, ['diff', '--no-index', '--no-color', '--', '/dev/null', path])
    if (folder.redactor.findings(shown.stdout.toString('utf8')).length > 0) return `${path} holds a secret`
  }
  return undefined
}

/**
 * Commits everything that is not ignored, with the repository's own hooks and filters, as `autoCommit` requests; the checks
 * before it run without them. Leaves out nested repositories, because others could not fetch their commits. Refuses if there
 * is nothing to commit.
 */
async function commitWork({ folder, governance }: OpenTask, message: string): Promise<CommitResult> {
  if (!governance.autoCommit) return { kind: 'refused', reason: 'the policy does not allow it (autoCommit is off)' }
  const { root } = folder
  const untracked = await listUntracked(root)
  // Git lists an untracked folder only if it is another repository.
  const isRepository = (path: string) => path.endsWith('/')
  const leftOut = untracked.filter(isRepository)
  const reason = await findCommitProblem(
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
  return { kind: 'commit', commit: (await runGitText(root, ['rev-parse', 'HEAD'])) ?? '', leftOut }
}

/** Commits the task's own records after the session, so that an automatic commit leaves a clean tree. */
async function commitRecords({ folder }: OpenTask, message: string): Promise<void> {
  const path = folder.resolvePath('')
  const added = await runGitFully(folder.root, ['add', '--all', '--', path], { actor: 'owner' })
  if (added.exitStatus === 0)
    await runGitFully(folder.root, ['commit', '--quiet', '--message', message, '--', path], { actor: 'owner' })
}

function without(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}`
}

/** Commits if policy and tree allow it, else writes a verified patch bundle. */
export async function saveWork(
  task: OpenTask,
  { session_id: id, goal }: TaskSession,
): Promise<readonly [EndResult['work'], string]> {
  const { folder } = task
  // Redacted before it is shortened: part of a secret would not be recognized.
  const words = folder.redactor.redact(goal ?? 'session work').replace(/\s+/g, ' ')
  const subject = `${folder.slug}: ${words}`.slice(0, 100)
  const commit = await commitWork(task, `${subject}\n\nTask-Session: ${id}`)
  if (commit.kind === 'commit') return [commit, `committed ${commit.commit.slice(0, 12)}${without(commit.leftOut)}`]
  const bundle = await writePatchBundle(folder, id)
  if (bundle.kind === 'none') {
    const { reason } = bundle
    return [{ kind: 'none', reason }, `${commit.reason}; ${reason}`]
  }
  const where = `${folder.resolvePath(bundle.file)}${without(bundle.leftOut)}`
  return [bundle, `not committed: ${commit.reason}; patch bundle ${where}`]
}

/** Commits the records if the work was committed, so that the tree is clean. */
export async function saveRecords(
  task: OpenTask,
  { session_id: id }: TaskSession,
  work: EndResult['work'],
): Promise<void> {
  if (work.kind === 'commit') await commitRecords(task, `${task.folder.slug}: records of ${id}`)
}
