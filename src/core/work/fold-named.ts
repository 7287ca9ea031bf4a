import { UNSEEN, withSighting, type PathSighting } from './path-sightings.ts'
import { isScratch, stemOf } from './paths.ts'
import type { FileEntry, NamedEntry } from './state.ts'
import { LIMITS } from './state.ts'

/** What others made, and nobody edits. */
const MADE = /(?:^|\/)(?:node_modules|\.git|dist|build|target|vendor|__pycache__|\.venv)\//

/** The counterpart of a touched file (its test, its header) outlives the rest, newer outlive older. Trimmed with slack. */
function bounded(entries: readonly NamedEntry[], files: readonly FileEntry[]): readonly NamedEntry[] {
  if (entries.length <= LIMITS.named * 1.25) return entries
  const stems = new Set(files.map((file) => stemOf(file.path)))
  const rank = (entry: NamedEntry) => (stems.has(stemOf(entry.path)) ? 1e9 : 0) + entry.sightings.order
  return entries.toSorted((a, b) => rank(b) - rank(a)).slice(0, LIMITS.named)
}

/** Files of the worktree that were named and never touched: where the work may go next. */
export function withNamed(
  { named: before, files }: { named: readonly NamedEntry[]; files: readonly FileEntry[] },
  named: readonly string[],
  sighting: PathSighting,
): readonly NamedEntry[] {
  const paths = named.filter((path) => !isScratch(path) && !MADE.test(path))
  if (paths.length === 0) return before
  const touched = new Set(files.map((file) => file.path))
  const byPath = new Map(before.map((entry) => [entry.path, entry]))
  const now = new Map<string, NamedEntry>()
  for (const path of paths) {
    if (touched.has(path)) continue
    const entry = byPath.get(path) ?? { path, sightings: UNSEEN }
    now.set(entry.path, { ...entry, sightings: withSighting(entry.sightings, sighting) })
  }
  if (now.size === 0) return before
  return bounded([...before.filter((entry) => !now.has(entry.path)), ...now.values()], files)
}
