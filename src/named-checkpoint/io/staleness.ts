import type { ReadCheckpoint } from '../format/parse.ts'
import { pathsToCheck, type StaleWarning, staleWarnings } from '../format/stale.ts'
import type { CheckpointFolder } from './folder.ts'

/** What has become of what a checkpoint relies on. Executes nothing. */
export async function stalenessOf(
  folder: CheckpointFolder,
  read: ReadCheckpoint,
  now: string,
): Promise<readonly StaleWarning[]> {
  const git = await folder.git()
  const files = new Map(pathsToCheck(read).map((path) => [path, folder.presenceOf(path)]))
  return staleWarnings(read, { files, now, ...(git !== undefined && { git }) })
}
