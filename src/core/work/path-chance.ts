import type { PathChance } from '../checkpoint.ts'
import { WEIGHTS } from '../recovery/weights.ts'
import { sightingsAt } from './path-sightings.ts'
import { baseName, isScratch, stemOf } from './paths.ts'
import { asKnownFiles } from './same-file.ts'
import type { FileEntry, NamedEntry, WorkState } from './state.ts'

/** What a file's chances are told from, by the names of the weights; a feature that is absent is 0. */
export type PathFeatures = Readonly<Record<string, number>>

const NEAR = { files: 20, fadesBy: 0.85 } as const
const PROSE = /\.(?:md|mdx|txt)$/i
const DATA = /\.(?:json|lock|toml|ya?ml)$/i
const TEST = /test|spec/i

function count(x: number): number {
  return Math.log2(1 + x)
}

/** How much of late was done to files of the same stem. */
function stemsOf(newestFirst: readonly FileEntry[]): ReadonlyMap<string, number> {
  const stems = new Map<string, number>()
  for (const [rank, { path }] of newestFirst.slice(0, NEAR.files).entries()) {
    stems.set(stemOf(path), (stems.get(stemOf(path)) ?? 0) + NEAR.fadesBy ** rank)
  }
  return stems
}

function isTouched(entry: FileEntry | NamedEntry): entry is FileEntry {
  return 'edits' in entry
}

function featuresOf(
  entry: FileEntry | NamedEntry,
  {
    rank,
    stems,
    order,
    candidates,
    isPlanned,
  }: {
    rank: number
    stems: ReadonlyMap<string, number>
    order: number
    candidates: number
    isPlanned: boolean
  },
): PathFeatures {
  const { path } = entry
  const { edited, read, asked, said, found, listed, total } = sightingsAt(entry.sightings, order)
  // A file is not its own counterpart.
  const own = isTouched(entry) && rank < NEAR.files ? NEAR.fadesBy ** rank : 0
  const shape = {
    outside: isScratch(path) ? 1 : 0,
    bare: path.includes('/') ? 0 : 1,
    prose: PROSE.test(path) ? 1 : 0,
    data: DATA.test(path) ? 1 : 0,
    test: TEST.test(baseName(path)) ? 1 : 0,
    stem: Math.min(1, (stems.get(stemOf(path)) ?? 0) - own),
    sightings: count(total),
    candidates: count(candidates),
    planned: isPlanned ? 1 : 0,
  }
  const named = { asked: count(asked), said: count(said), found: count(found), listed: count(listed) }
  if (!isTouched(entry)) {
    const plannedOnly = shape.planned
    return { ...shape, ...named, plannedOnly, askedOnly: named.asked, foundOnly: named.found, listedOnly: named.listed }
  }
  return {
    ...shape,
    ...named,
    touched: 1,
    everEdited: entry.edits > 0 ? 1 : 0,
    edits: count(entry.edits),
    editedLately: count(edited),
    readLately: count(read),
    touchedSince: count(rank),
  }
}

/** Every file that came up, with what its chances are told from. */
export function pathFeatures(
  state: Pick<WorkState, 'files' | 'named' | 'order' | 'plan'>,
): readonly { readonly path: string; readonly features: PathFeatures }[] {
  const newestFirst = state.files.toSorted((a, b) => b.lastOrder - a.lastOrder || (a.path < b.path ? -1 : 1))
  const stems = stemsOf(newestFirst)
  const all = [...newestFirst, ...state.named]
  const { order } = state
  const planned = new Set(
    asKnownFiles(
      state.plan?.paths ?? [],
      all.map(({ path }) => path),
    ),
  )
  return all.map((entry, rank) => ({
    path: entry.path,
    features: featuresOf(entry, {
      rank,
      stems,
      order,
      candidates: all.length,
      isPlanned: planned.has(entry.path),
    }),
  }))
}

function logistic({ bias, weights }: { bias: number; weights: PathFeatures }, features: PathFeatures): number {
  let score = bias
  for (const [name, value] of Object.entries(features)) score += (weights[name] ?? 0) * value
  return 1 / (1 + Math.exp(-score))
}

function rounded(chance: number): number {
  return Math.round(chance * 1_000) / 1_000
}

/** Two logistic models over where, how often and how lately a file came up. */
export function pathChances(
  state: Pick<WorkState, 'files' | 'named' | 'order' | 'plan'>,
): ReadonlyMap<string, PathChance> {
  const { opened, edited } = WEIGHTS.path
  return new Map(
    pathFeatures(state).map(({ path, features }) => [
      path,
      { opened: rounded(logistic(opened, features)), edited: rounded(logistic(edited, features)) },
    ]),
  )
}
