import type { ChangedFile } from '../model/task-checkpoint.ts'
import { runGitFully } from '../../platform/git/git-write.ts'
import { TASKS_FOLDER } from '../files/task-folder.ts'

const MAX_FILES = 500
/** The task's own records change at every step, and say nothing about the work. */
export const OUTSIDE_TASKS = ['--', '.', `:(exclude)${TASKS_FOLDER}`]

const ACTIONS: Readonly<Record<string, ChangedFile['action']>> = { A: 'created', '?': 'created', D: 'deleted' }

async function uncommitted(root: string): Promise<readonly ChangedFile[]> {
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

async function committedSince(root: string, commit: string): Promise<readonly ChangedFile[]> {
  const args = ['diff', '--name-status', '-z', '--no-renames', commit, 'HEAD', ...OUTSIDE_TASKS]
  const { exitStatus, stdout } = await runGitFully(root, args)
  if (exitStatus !== 0) return []
  const fields = stdout.toString('utf8').split('\0')
  const files: ChangedFile[] = []
  for (let n = 0; n + 1 < fields.length; n += 2)
    files.push({ path: fields[n + 1] ?? '', action: ACTIONS[fields[n]?.[0] ?? ''] ?? 'modified' })
  return files
}

/** What git says was changed: since a commit where one is given, and what is not committed. Empty outside a repository. */
export async function changedFiles(root: string, since: string | undefined): Promise<readonly ChangedFile[]> {
  const committed = since !== undefined && /^[0-9a-f]{7,64}$/.test(since) ? await committedSince(root, since) : []
  const byPath = new Map([...committed, ...(await uncommitted(root))].map((file) => [file.path, file]))
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_FILES)
}
