import { isScratch, toFileStem, isImportedAs, shorterNames, withoutEnding } from '../../kernel/paths/paths.ts'
import { type FileEntry, type NamedEntry, LIMITS } from './state.ts'
import { WEIGHTS } from './weights.ts'

/**
 * How a file came up: edited or read, named by the user or the agent, found by a search or a subagent,
 * or listed in some other output.
 */
export type PathSource = 'edited' | 'read' | 'asked' | 'said' | 'found' | 'listed'

/** By source, decayed, as of `order`; `total` counts them all without decay. */
export interface PathSightings extends Readonly<Record<PathSource, number>> {
  readonly total: number
  readonly order: number
  /** The orders of the latest searches that found it: hits of one search belong together. */
  readonly foundAt?: readonly number[]
}

const MAX_FOUND_AT = 6

export interface PathSighting {
  readonly source: PathSource
  readonly order: number
  /** Weight: one of forty hits counts less than one of two. */
  readonly share: number
}

export const UNSEEN: PathSightings = {
  edited: 0,
  read: 0,
  asked: 0,
  said: 0,
  found: 0,
  listed: 0,
  total: 0,
  order: 0,
}

export function sightingsAt(sightings: PathSightings, order: number): PathSightings {
  const share = 0.5 ** (Math.max(0, order - sightings.order) / WEIGHTS.path.halfLife)
  const { edited, read, asked, said, found, listed, total, foundAt } = sightings
  return {
    edited: edited * share,
    read: read * share,
    asked: asked * share,
    said: said * share,
    found: found * share,
    listed: listed * share,
    total,
    order,
    ...(foundAt === undefined ? {} : { foundAt }),
  }
}

function latest(before: readonly number[] = [], more: readonly number[] = []): readonly number[] {
  return [...new Set([...before, ...more])].toSorted((a, b) => a - b).slice(-MAX_FOUND_AT)
}

export function withSighting(before: PathSightings, { source, order, share }: PathSighting): PathSightings {
  const now = sightingsAt(before, order)
  const seen = { ...now, [source]: now[source] + share, total: now.total + 1 }
  return source === 'found' ? { ...seen, foundAt: latest(now.foundAt, [order]) } : seen
}

/** Sums the sightings of one file under two names. */
function addSightings(a: PathSightings, b: PathSightings): PathSightings {
  const order = Math.max(a.order, b.order)
  const [one, other] = [sightingsAt(a, order), sightingsAt(b, order)]
  const foundAt = latest(a.foundAt, b.foundAt)
  return {
    edited: one.edited + other.edited,
    read: one.read + other.read,
    asked: one.asked + other.asked,
    said: one.said + other.said,
    found: one.found + other.found,
    listed: one.listed + other.listed,
    total: one.total + other.total,
    order,
    ...(foundAt.length === 0 ? {} : { foundAt }),
  }
}

/** Generated or third-party files. */
const MADE = /(?:^|\/)(?:node_modules|\.git|dist|build|target|vendor|__pycache__|\.venv)\//

/** Keeps counterparts of touched files (test, header) first, then newer ones. Trimmed with slack. */
function bounded(entries: readonly NamedEntry[], files: readonly FileEntry[]): readonly NamedEntry[] {
  if (entries.length <= LIMITS.named * 1.25) return entries
  const stems = new Set(files.map((file) => toFileStem(file.path)))
  const rank = (entry: NamedEntry) => (stems.has(toFileStem(entry.path)) ? 1e9 : 0) + entry.sightings.order
  return entries.toSorted((a, b) => rank(b) - rank(a)).slice(0, LIMITS.named)
}

interface KnownFiles {
  readonly named: readonly NamedEntry[]
  readonly files: readonly FileEntry[]
  /** Paths named together with the one in question. */
  readonly beside?: readonly string[]
}

interface NearbyNames {
  readonly named: readonly NamedEntry[]
  readonly paths: readonly string[]
}

const NONE_NEAR: NearbyNames = { named: [], paths: [] }

/** Indexed by the base name without extension, because a search names many paths. */
function byLastPart({ named, files, beside = [] }: KnownFiles): (path: string) => NearbyNames {
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

/** People shorten paths; tools print them in full, relative to where they ran. */
export function isTypedName({ sightings }: NamedEntry): boolean {
  return sightings.found === 0 && sightings.listed === 0
}

/**
 * The entries that mean this file by less than its whole path (`parser.ts` in a plan, then `src/core/parser.ts` opened).
 * `isElsewhere`: the session works in another checkout, and tools print names from there.
 */
function findShorterNames(
  path: string,
  near: NearbyNames,
  { isElsewhere, beside }: { isElsewhere: boolean; beside: ReadonlySet<string> },
) {
  // A text that names both means both: `x.ts` is being made from `x.js`.
  const isOwnWritten = near.named.some((entry) => entry.path === path && isTypedName(entry))
  const isName = (entry: NamedEntry) =>
    !beside.has(entry.path) &&
    !(isOwnWritten && isTypedName(entry) && isImportedAs(entry.path, path)) &&
    (isTypedName(entry) || (isElsewhere && entry.path.includes('/')) || isImportedAs(entry.path, path))
  const names = near.named.filter(isName).map((entry) => entry.path)
  const short = shorterNames(path, names, near.paths)
  return near.named.filter((entry) => entry.path === path || short.has(entry.path))
}

function sumSightings(entries: readonly NamedEntry[]): PathSightings {
  const [first, ...others] = entries.map((entry) => entry.sightings)
  return first === undefined ? UNSEEN : others.reduce(addSightings, first)
}

/** The sightings of a file under all its names, and the remaining entries. */
export function resolveNames(
  path: string,
  known: KnownFiles,
): { readonly named: readonly NamedEntry[]; readonly sightings: PathSightings } {
  const isElsewhere = isScratch(path) && known.files.every((file) => isScratch(file.path))
  const own = findShorterNames(path, byLastPart(known)(path), { isElsewhere, beside: new Set() })
  const named = own.length === 0 ? known.named : known.named.filter((entry) => !own.includes(entry))
  return { named, sightings: sumSightings(own) }
}

/** Adds files of the worktree that were named and never touched. */
export function withNamed(
  { named: before, files }: KnownFiles,
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
    const own = findShorterNames(path, nearTo(path), { isElsewhere: false, beside }).filter((entry) => !gone.has(entry))
    for (const entry of own) gone.add(entry)
    now.set(path, { path, sightings: withSighting(sumSightings(own), sighting) })
  }
  if (now.size === 0) return before
  return bounded([...before.filter((entry) => !gone.has(entry)), ...now.values()], files)
}
