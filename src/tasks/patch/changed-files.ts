import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { listEvidenceBefore } from '../gates/gate-rules.ts'
import type { CheckpointFileChange, GateEvidence, TaskCheckpoint } from '../model/task-checkpoint.ts'
import { sha256 } from '../../platform/base/crypto.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import { readChain } from '../files/task-files.ts'
import { TASKS_FOLDER, type TaskFolder } from '../files/task-folder.ts'
import { hashProjectFile } from '../../platform/files/project-file.ts'
import type { OpenTask } from '../files/open-task.ts'
import type { TaskPorts } from '../files/task-ports.ts'

const MAX_HASHED_BYTES = 20_000_000
const MAX_CHECKED = 200

/** Adds the hash of each file as it is on disk now. */
export function hashFiles(root: string, files: readonly CheckpointFileChange[]): readonly CheckpointFileChange[] {
  return files.map(({ path, action }) => {
    const sha256 = action === 'deleted' ? undefined : hashProjectFile({ root, path }, MAX_HASHED_BYTES).hash
    return { path, action, ...(sha256 !== undefined && { sha256 }) }
  })
}

/** Whether git or a checkpoint knows a missing file. Outside a repository that is unknown. */
async function wasThere({ folder, location }: Pick<OpenTask, 'folder' | 'location'>, path: string): Promise<boolean> {
  if (readChain(folder).files.some(({ checkpoint }) => checkpoint.state.files_changed.some((one) => one.path === path)))
    return true
  const pathspec = `:(top,literal)${path}`
  for (const args of [['ls-files'], ['log', '-1', '--format=%h']]) {
    const { exitStatus, stdout } = await runGitFully(location.worktree, [...args, '--', pathspec])
    if (exitStatus !== 0 || stdout.length > 0) return true
  }
  return false
}

/** Refuses a list that the disk contradicts: the next session would read it as a fact. */
export async function refuseUnobservedFiles(
  task: Pick<OpenTask, 'folder' | 'location'>,
  files: readonly CheckpointFileChange[] = [],
): Promise<void> {
  const root = task.location.worktree
  const wrong: string[] = []
  for (const { path, action } of files) {
    const { isThere } = hashProjectFile({ root, path }, MAX_HASHED_BYTES)
    if (isThere && action === 'deleted') wrong.push(`${path} is still there`)
    else if (isThere && lstatSync(join(root, path)).isDirectory()) wrong.push(`${path} is a folder`)
    else if (!isThere && (action !== 'deleted' || !(await wasThere(task, path)))) wrong.push(`${path} does not exist`)
  }
  if (wrong.length === 0) return
  throw new HoldfastError('invalid-input', `${wrong.slice(0, 10).join(', ')}; nothing was written.`, {
    hint: 'Give paths of files, relative to the project: created:src/a.ts, modified:… or deleted:….',
  })
}

/** The newest record of each file, newest last. */
function listRecordedFiles(checkpoints: readonly TaskCheckpoint[]): readonly CheckpointFileChange[] {
  const byPath = new Map<string, CheckpointFileChange>()
  for (const { state } of checkpoints)
    for (const file of state.files_changed) {
      byPath.delete(file.path)
      byPath.set(file.path, file)
    }
  return [...byPath.values()].slice(-MAX_CHECKED)
}

function describeChange(root: string, { path, action, sha256 }: CheckpointFileChange): readonly string[] {
  const { isThere, hash } = hashProjectFile({ root, path }, MAX_HASHED_BYTES)
  if (action === 'deleted') return isThere ? [`${path} was deleted and exists again`] : []
  if (!isThere) return [`${path} is gone`]
  return sha256 === undefined || hash === undefined || hash === sha256 ? [] : [`the content of ${path} is another`]
}

/** Evidence whose file is another or gone. */
export function findChangedEvidence(folder: TaskFolder, evidence: readonly GateEvidence[]): readonly string[] {
  return evidence.flatMap(({ path, sha256: recorded }) => {
    const bytes = folder.bytes(path)
    if (bytes === undefined) return [`${folder.resolvePath(path)} is gone`]
    return sha256(bytes) === recorded ? [] : [`the content of ${folder.resolvePath(path)} is another`]
  })
}

/** Preconditions of a chained session that no longer hold since the checkpoints were written, one sentence each. */
export async function findLostPreconditions(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  checkpoints: readonly TaskCheckpoint[],
): Promise<readonly string[]> {
  const git = checkpoints.at(-1)?.state.git
  const { worktree } = location
  const now = await ports.git.state(worktree, 'now')
  const [head, branch] = [git?.head ?? undefined, git?.branch ?? undefined]
  const hasHead = head === undefined ? true : await ports.git.hasCommit(worktree, head)
  const isContained = head === undefined || hasHead === false ? true : await ports.git.isInHistory(worktree, head)
  const gate = checkpoints.at(-1)?.gate ?? 'G0'
  return [
    ...(hasHead === false ? [`the commit ${head?.slice(0, 12) ?? ''} is gone`] : []),
    ...(isContained === false
      ? [`HEAD is ${now?.head?.slice(0, 12) ?? 'another'} and does not contain ${head?.slice(0, 12) ?? ''}`]
      : []),
    ...(branch !== undefined && now?.branch !== undefined && now.branch !== branch
      ? [`the branch is ${now.branch}, and was ${branch}`]
      : []),
    ...listRecordedFiles(checkpoints).flatMap((file) => describeChange(worktree, file)),
    ...findChangedEvidence(folder, listEvidenceBefore(checkpoints, gate)),
  ]
}

const MAX_FILES = 500
/** The task's own records change at every step and are not work. */
export const OUTSIDE_TASKS = ['--', '.', `:(exclude)${TASKS_FOLDER}`]

const ACTIONS: Readonly<Record<string, CheckpointFileChange['action']>> = { A: 'created', '?': 'created', D: 'deleted' }

async function uncommitted(root: string): Promise<readonly CheckpointFileChange[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', ...OUTSIDE_TASKS]
  const { exitStatus, stdout } = await runGitFully(root, args)
  if (exitStatus !== 0) return []
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry.length > 3)
    .map((entry) => {
      const letter = entry.slice(0, 2).trim()[0] ?? 'M'
      return { path: entry.slice(3), action: ACTIONS[letter] ?? 'modified' }
    })
}

async function committedSince(root: string, commit: string): Promise<readonly CheckpointFileChange[]> {
  const args = ['diff', '--name-status', '-z', '--no-renames', commit, 'HEAD', ...OUTSIDE_TASKS]
  const { exitStatus, stdout } = await runGitFully(root, args)
  if (exitStatus !== 0) return []
  const fields = stdout.toString('utf8').split('\0')
  const files: CheckpointFileChange[] = []
  for (let n = 0; n + 1 < fields.length; n += 2)
    files.push({ path: fields[n + 1] ?? '', action: ACTIONS[fields[n]?.[0] ?? ''] ?? 'modified' })
  return files
}

/** Changed since a commit, if given, plus uncommitted changes. Empty outside a repository. */
export async function listChangedFiles(
  root: string,
  since: string | undefined,
): Promise<readonly CheckpointFileChange[]> {
  const committed = since !== undefined && /^[0-9a-f]{7,64}$/.test(since) ? await committedSince(root, since) : []
  const byPath = new Map([...committed, ...(await uncommitted(root))].map((file) => [file.path, file]))
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_FILES)
}
