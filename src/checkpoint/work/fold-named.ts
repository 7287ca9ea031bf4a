import { together, UNSEEN, withSighting, type PathSighting, type PathSightings } from './path-sightings.ts'
import { isScratch, stemOf } from '../../kernel/paths/paths.ts'
import { isImportOf, shorterNames, withoutEnding } from '../../kernel/paths/same-file.ts'
import { type FileEntry, type NamedEntry, LIMITS } from './state.ts'

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
  /** What is named together with the path that is looked for. */
  readonly beside?: readonly string[]
}

interface Near {
  readonly named: readonly NamedEntry[]
  readonly paths: readonly string[]
}

const NONE_NEAR: Near = { named: [], paths: [] }

/** By what paths share that may be one file: the last part without its ending. A search names many among many. */
function byLastPart({ named, files, beside = [] }: Known): (path: string) => Near {
  const near = new Map<string, { named: NamedEntry[]; paths: string[] }>()
  const at = (path: string) => {
    const key = withoutEnding(path)
    const found = near.get(key) ?? { named: [], paths: [] }
    near.set(key, found)
    found.paths.push(path)
    return found
  }
  for (const entry of named) at(entry.path).named.push(entry)
  for (const { path } of files) at(path)
  for (const path of beside) at(path)
  return (path) => near.get(withoutEnding(path)) ?? NONE_NEAR
}

/** People shorten paths; tools print them as they are, from where they ran. */
export function wasWritten({ sightings }: NamedEntry): boolean {
  return sightings.found === 0 && sightings.listed === 0
}

/**
 * What was named by less than its whole path, once that is known (`parser.ts` in a plan, then `src/core/parser.ts` opened): one file.
 * `isElsewhere`: the session works in another checkout, and tools print names from there.
 */
function namesOf(
  path: string,
  near: Near,
  { isElsewhere, beside }: { isElsewhere: boolean; beside: ReadonlySet<string> },
) {
  // Somebody who wrote of both has both: `x.ts` is being made from `x.js`.
  const isOwnWritten = near.named.some((entry) => entry.path === path && wasWritten(entry))
  const isName = (entry: NamedEntry) =>
    !beside.has(entry.path) &&
    !(isOwnWritten && wasWritten(entry) && isImportOf(entry.path, path)) &&
    (wasWritten(entry) || (isElsewhere && entry.path.includes('/')) || isImportOf(entry.path, path))
  const names = near.named.filter(isName).map((entry) => entry.path)
  const short = shorterNames(path, names, near.paths)
  return near.named.filter((entry) => entry.path === path || short.has(entry.path))
}

function sightingsOf(entries: readonly NamedEntry[]): PathSightings {
  const [first, ...others] = entries.map((entry) => entry.sightings)
  return first === undefined ? UNSEEN : others.reduce(together, first)
}

/** What is known of a file by the names it went by, and the names that are left. */
export function claimed(
  path: string,
  known: Known,
): { readonly named: readonly NamedEntry[]; readonly sightings: PathSightings } {
  const isElsewhere = isScratch(path) && known.files.every((file) => isScratch(file.path))
  const own = namesOf(path, byLastPart(known)(path), { isElsewhere, beside: new Set() })
  const named = own.length === 0 ? known.named : known.named.filter((entry) => !own.includes(entry))
  return { named, sightings: sightingsOf(own) }
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
  const beside = new Set(paths)
  const nearTo = byLastPart({ named: before, files, beside: paths })
  const gone = new Set<NamedEntry>()
  const now = new Map<string, NamedEntry>()
  for (const path of paths) {
    if (touched.has(path) || now.has(path)) continue
    const own = namesOf(path, nearTo(path), { isElsewhere: false, beside }).filter((entry) => !gone.has(entry))
    for (const entry of own) gone.add(entry)
    now.set(path, { path, sightings: withSighting(sightingsOf(own), sighting) })
  }
  if (now.size === 0) return before
  return bounded([...before.filter((entry) => !gone.has(entry)), ...now.values()], files)
}
