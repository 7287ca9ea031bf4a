import { baseName, isScratch, stemOf } from './paths.ts'
import type { FileEntry, NamedEntry } from './state.ts'
import { LIMITS } from './state.ts'

/** Folded things after which having been found counts half. */
const HALF_LIFE = 30
/** What others made, and nobody edits. */
const MADE = /(?:^|\/)(?:node_modules|\.git|dist|build|target|vendor|__pycache__|\.venv)\//

export interface Naming {
  readonly paths: readonly string[]
  readonly order: number
  /** A search or a subagent came up with them; otherwise they stood in a listing, a message or an output. */
  readonly isFound: boolean
}

function fadedTo(entry: NamedEntry, order: number): number {
  return entry.found * 0.5 ** ((order - entry.lastOrder) / HALF_LIFE)
}

function named(before: NamedEntry, { order, isFound, paths }: Naming): NamedEntry {
  // One of two hits says more than one of forty.
  const found = fadedTo(before, order) + (isFound ? 1 / Math.sqrt(paths.length) : 0)
  return { path: before.path, found, namings: before.namings + 1, lastOrder: order }
}

/** A name fits an entry by its whole path, or by its last parts when they fit no other. */
function entryFor(byName: ReadonlyMap<string, readonly NamedEntry[]>, path: string): NamedEntry | undefined {
  const near = byName.get(baseName(path)) ?? []
  const fitting = near.filter((entry) => entry.path === path || entry.path.endsWith(`/${path}`))
  return fitting.find((entry) => entry.path === path) ?? (fitting.length === 1 ? fitting[0] : undefined)
}

/** The counterpart of a touched file (its test, its header) outlives the rest, newer outlive older. Trimmed with slack. */
function bounded(entries: readonly NamedEntry[], files: readonly FileEntry[]): readonly NamedEntry[] {
  if (entries.length <= LIMITS.named * 1.25) return entries
  const stems = new Set(files.map((file) => stemOf(file.path)))
  const rank = (entry: NamedEntry) => (stems.has(stemOf(entry.path)) ? 1e9 : 0) + entry.lastOrder
  return entries.toSorted((a, b) => rank(b) - rank(a)).slice(0, LIMITS.named)
}

/** Files of the worktree that were named and never touched: where the work may go next. */
export function withNamed(
  { named: before, files }: { named: readonly NamedEntry[]; files: readonly FileEntry[] },
  naming: Naming,
): readonly NamedEntry[] {
  const paths = naming.paths.filter((path) => !isScratch(path) && !MADE.test(path))
  if (paths.length === 0) return before
  const touched = new Set(files.map((file) => file.path))
  const byName = new Map<string, NamedEntry[]>()
  for (const entry of before) {
    const name = baseName(entry.path)
    const same = byName.get(name)
    if (same === undefined) byName.set(name, [entry])
    else same.push(entry)
  }
  const now = new Map<string, NamedEntry>()
  for (const path of paths) {
    if (touched.has(path)) continue
    const entry = entryFor(byName, path) ?? { path, found: 0, namings: 0, lastOrder: naming.order }
    now.set(entry.path, named(entry, naming))
  }
  if (now.size === 0) return before
  return bounded([...before.filter((entry) => !now.has(entry.path)), ...now.values()], files)
}
