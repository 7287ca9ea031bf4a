import type { CheckpointFileChange, TaskCheckpoint } from '../model/task-checkpoint.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import { TASKS_FOLDER } from '../files/task-folder.ts'
import { hashProjectFile } from '../../platform/files/project-file.ts'
import type { OpenTask } from '../files/open-task.ts'
import type { TaskPorts } from '../files/task-ports.ts'

const MAX_HASHED_BYTES = 1
const MAX_CHECKED = 100

/** Preconditions of a chained session that no longer hold since the last checkpoint, one sentence each. */
export async function findLostPreconditions(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  checkpoint: TaskCheckpoint | null,
): Promise<readonly string[]> {
  if (checkpoint === null) return []
  const { git, files_changed: files, evidence } = checkpoint.state
  const now = await ports.git.state(location.worktree)
  const [head, branch] = [git?.head ?? undefined, git?.branch ?? undefined]
  const hasHead = head === undefined ? true : await ports.git.hasCommit(location.worktree, head)
  const gone = files
    .filter(({ action }) => action !== 'deleted')
    .slice(0, MAX_CHECKED)
    .filter(({ path }) => !exists(location.worktree, path))
  return [
    ...(hasHead === false ? [`the commit ${head?.slice(0, 12) ?? ''} is gone`] : []),
    ...(branch !== undefined && now?.branch !== undefined && now.branch !== branch
      ? [`the branch is ${now.branch}, and was ${branch}`]
      : []),
    ...gone.map(({ path }) => `${path} is gone`),
    ...evidence
      .filter(({ path }) => folder.bytes(path) === undefined)
      .map(({ path }) => `${folder.resolvePath(path)} is gone`),
  ]
}

function exists(root: string, path: string): boolean {
  return hashProjectFile({ root, path }, MAX_HASHED_BYTES).isThere
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
