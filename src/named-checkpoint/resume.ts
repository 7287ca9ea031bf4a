import { pathsToCheck, type StaleWarning, staleWarnings } from '../core/named-checkpoint/stale.ts'
import type { CheckpointFolder, SavedCheckpoint } from './folder.ts'

export interface Resumed {
  readonly saved: SavedCheckpoint
  readonly warnings: readonly StaleWarning[]
}

/** What a checkpoint says and what has become of it since. Executes nothing; going on is for a person to allow. */
export async function resumeNamed(folder: CheckpointFolder, name: string, now: string): Promise<Resumed> {
  const saved = folder.get(name)
  const git = await folder.git()
  const files = new Map(pathsToCheck(saved.read).map((path) => [path, folder.presenceOf(path)]))
  return { saved, warnings: staleWarnings(saved.read, { files, now, ...(git !== undefined && { git }) }) }
}
