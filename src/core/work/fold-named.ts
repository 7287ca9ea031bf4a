import { together, UNSEEN, withSighting, type PathSighting, type PathSightings } from './path-sightings.ts'
import { isScratch, stemOf } from './paths.ts'
import { isImportOf, shorterNames } from './same-file.ts'
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

interface Known {
  readonly named: readonly NamedEntry[]
  readonly files: readonly FileEntry[]
}

/** People shorten paths; tools print them as they are, from where they ran. */
export function wasWritten({ sightings }: NamedEntry): boolean {
  return sightings.found === 0 && sightings.listed === 0
}

/** What was named by less than its whole path, once that is known (`parser.ts` in a plan, then `src/core/parser.ts` opened): one file. */
export function claimed(
  path: string,
  { named, files }: Known,
): { readonly named: readonly NamedEntry[]; readonly sightings: PathSightings } {
  const isName = (entry: NamedEntry) =>
    wasWritten(entry) || (isScratch(path) && entry.path.includes('/')) || isImportOf(entry.path, path)
  const names = named.filter(isName).map((entry) => entry.path)
  const known = [...named, ...files].map((entry) => entry.path)
  const short = shorterNames(path, names, known)
  const own = named.filter((entry) => entry.path === path || short.has(entry.path))
  if (own.length === 0) return { named, sightings: UNSEEN }
  return {
    named: named.filter((entry) => !own.includes(entry)),
    sightings: own.map((entry) => entry.sightings).reduce(together),
  }
}

/** Files of the worktree that were named and never touched: where the work may go next. */
export function withNamed(
  { named: before, files }: Known,
  named: readonly string[],
  sighting: PathSighting,
): readonly NamedEntry[] {
  const paths = named.filter((path) => !isScratch(path) && !MADE.test(path))
  if (paths.length === 0) return before
  const touched = new Set(files.map((file) => file.path))
  let rest = before
  const now = new Map<string, NamedEntry>()
  for (const path of paths) {
    if (touched.has(path) || now.has(path)) continue
    const { named: others, sightings } = claimed(path, { named: rest, files })
    rest = others
    now.set(path, { path, sightings: withSighting(sightings, sighting) })
  }
  if (now.size === 0) return before
  return bounded([...rest, ...now.values()], files)
}
