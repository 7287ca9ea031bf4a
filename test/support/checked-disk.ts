import type { CommandRun, FileWork, WorkSummary } from '../../src/kernel/checkpoint.ts'
import type { GitState } from '../../src/kernel/location.ts'
import { mergeCheckpoints } from '../../src/recovery/merge/merge-checkpoints.ts'
import type { RevalidatePorts } from '../../src/recovery/revalidate/revalidate.ts'
import { aCheckpointOf } from './checkpoints.ts'

export const head = 'a'.repeat(40)

/** A disk in memory: the hash of a file is its content. */
export function disk(
  contents: Readonly<Record<string, string>>,
  git: GitState | undefined = { branch: 'main', head },
  modifiedAt = '2026-02-02T00:00:00.000Z',
): RevalidatePorts {
  const files = new Map(Object.entries(contents).map(([path, content]) => [`/repo/${path}`, content]))
  return {
    worktree: '/repo',
    git: { state: async () => git },
    files: {
      isDirectory: async () => true,
      facts: async (path) => (files.has(path) ? { size: 1, modifiedAt } : undefined),
      contentHash: async (path) => files.get(path),
      readText: async (path) => files.get(path),
    },
  }
}

export const file = (path: string, overrides: Partial<FileWork> = {}): FileWork => ({
  path,
  action: 'edited',
  reads: 0,
  edits: 1,
  lastOrder: 1,
  ...overrides,
})
export const run = (command: string): CommandRun => ({
  command,
  purpose: 'test',
  ok: true,
  runs: 1,
  failures: 0,
  lastOrder: 2,
})
export const dirty = (...paths: readonly string[]) => ({ staged: 0, unstaged: paths.length, untracked: 0, paths })
export const view = (work: Partial<WorkSummary>) => mergeCheckpoints([aCheckpointOf(work)])
