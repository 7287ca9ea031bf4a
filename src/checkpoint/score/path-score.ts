import type { PathScore } from '../../kernel/checkpoint.ts'
import { WEIGHTS } from '../work/weights.ts'
import { sightingsAt } from '../work/fold-named.ts'
import { baseName, isScratch, toFileStem, asKnownFiles } from '../../kernel/paths/paths.ts'
import type { FileEntry, NamedEntry, WorkState } from '../work/state.ts'
import { isSubstantiveRequest } from '../../kernel/text/text.ts'
import { extractWordParts } from '../../kernel/text/terms.ts'

const MIN_CHARS = 3
const MAX_TEXT = 3_000

/** Words that do not identify a file. */
const EVERYWHERE = extractWordParts('add fix make set new run file code test spec src lib index main')

function extractDistinctiveWords(text: string): readonly string[] {
  return [...extractWordParts(text)].filter((word) => word.length >= MIN_CHARS && !EVERYWHERE.has(word))
}

/** The words of a base name: `token_reader_test.go` has `token` and `reader`. */
function wordsOfFile(path: string): readonly string[] {
  const name = baseName(path)
  const dot = name.indexOf('.', 1)
  return extractDistinctiveWords(dot < 0 ? name : name.slice(0, dot))
}

/** Share of a file's name that is in the text, from 0 to 1; words that many of these files have count less. */
export function createNameOverlap(text: string, paths: readonly string[]): (path: string) => number {
  const asked = new Set(extractDistinctiveWords(text.slice(0, MAX_TEXT)))
  const files = new Map<string, number>()
  for (const path of paths) for (const word of wordsOfFile(path)) files.set(word, (files.get(word) ?? 0) + 1)
  const weight = (word: string) => Math.max(0, Math.log((paths.length + 1) / ((files.get(word) ?? 0) + 0.5)))
  const sum = (words: readonly string[]) => words.reduce((total, word) => total + weight(word), 0)
  return (path) => {
    const words = wordsOfFile(path)
    const all = sum(words)
    return all === 0 ? 0 : sum(words.filter((word) => asked.has(word))) / all
  }
}

/** Features of a file, by the names of the weights; an absent feature is 0. */
export type PathFeatures = Readonly<Record<string, number>>

const NEAR = { files: 20, fadesBy: 0.85 } as const
const PROSE = /\.(?:md|mdx|txt)$/i
const DATA = /\.(?:json|lock|toml|ya?ml)$/i
const TEST = /test|spec/i

function count(x: number): number {
  return Math.log2(1 + x)
}

/** Recent activity by file stem. */
function weighStems(newestFirst: readonly FileEntry[]): ReadonlyMap<string, number> {
  const stems = new Map<string, number>()
  for (const [rank, { path }] of newestFirst.slice(0, NEAR.files).entries()) {
    stems.set(toFileStem(path), (stems.get(toFileStem(path)) ?? 0) + NEAR.fadesBy ** rank)
  }
  return stems
}

interface Search {
  size: number
  /** Sum of the recency of its files. */
  touched: number
}

function weighRecency(entry: FileEntry | NamedEntry, order: number): number {
  return isTouched(entry) ? 0.5 ** (Math.max(0, order - entry.lastOrder) / WEIGHTS.path.halfLife) : 0
}

/** How recently other files of the same search were touched, from 0 to 1: whether the work goes through the hits. */
function createSearchNeighbourScore(
  all: readonly (FileEntry | NamedEntry)[],
  order: number,
): (entry: FileEntry | NamedEntry) => number {
  const searches = new Map<number, Search>()
  for (const entry of all) {
    for (const at of entry.sightings.foundAt ?? []) {
      const search = searches.get(at) ?? { size: 0, touched: 0 }
      searches.set(at, search)
      search.size += 1
      search.touched += weighRecency(entry, order)
    }
  }
  return (entry) => {
    const own = weighRecency(entry, order)
    const beside = (entry.sightings.foundAt ?? []).map((at) => {
      const { size = 1, touched = own } = searches.get(at) ?? {}
      return (touched - own) / Math.max(1, size - 1)
    })
    return Math.max(0, ...beside)
  }
}

function isTouched(entry: FileEntry | NamedEntry): entry is FileEntry {
  return 'edits' in entry
}

function toFeatures(
  entry: FileEntry | NamedEntry,
  {
    rank,
    stems,
    order,
    isPlanned,
    asked: askedFor,
    beside,
  }: {
    rank: number
    stems: ReadonlyMap<string, number>
    order: number
    isPlanned: boolean
    asked: number
    beside: number
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
    stem: Math.min(1, (stems.get(toFileStem(path)) ?? 0) - own),
    sightings: count(total),
    planned: isPlanned ? 1 : 0,
    askedFor,
    age: count(order - entry.sightings.order),
  }
  const named = { asked: count(asked), said: count(said), found: count(found), listed: count(listed) }
  if (!isTouched(entry)) {
    const only = { askedOnly: named.asked, foundOnly: named.found, listedOnly: named.listed }
    return { ...shape, ...named, ...only, plannedOnly: shape.planned, dataOnly: shape.data, besideOnly: beside }
  }
  return {
    ...shape,
    ...named,
    touched: 1,
    created: entry.action === 'created' ? 1 : 0,
    everEdited: entry.edits > 0 ? 1 : 0,
    besideEdited: entry.edits > 0 ? beside : 0,
    edits: count(entry.edits),
    editedLately: count(edited),
    readLately: count(read),
    touchedSince: count(rank),
  }
}

type ScoredWork = Pick<WorkState, 'files' | 'named' | 'order' | 'plan' | 'asks'>

/** The newest substantive request and the ones since. */
function joinNewestRequests(asks: WorkState['asks']): string {
  const from = asks.findLastIndex(({ text }) => isSubstantiveRequest(text))
  return asks
    .slice(Math.max(0, from))
    .map(({ text }) => text)
    .join('\n')
}

export function computePathFeatures(
  state: ScoredWork,
): readonly { readonly path: string; readonly features: PathFeatures }[] {
  const newestFirst = state.files.toSorted((a, b) => b.lastOrder - a.lastOrder || (a.path < b.path ? -1 : 1))
  const stems = weighStems(newestFirst)
  const all = [...newestFirst, ...state.named]
  const { order } = state
  const paths = all.map(({ path }) => path)
  const planned = new Set(asKnownFiles(state.plan?.paths ?? [], paths))
  const asked = createNameOverlap(joinNewestRequests(state.asks), paths)
  const beside = createSearchNeighbourScore(all, order)
  return all.map((entry, rank) => ({
    path: entry.path,
    features: toFeatures(entry, {
      rank,
      stems,
      order,
      isPlanned: planned.has(entry.path),
      asked: asked(entry.path),
      beside: beside(entry),
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

/** Two logistic models over where, how often and how recently a file came up. */
export function scorePaths(state: ScoredWork): ReadonlyMap<string, PathScore> {
  const { opened, edited } = WEIGHTS.path
  return new Map(
    computePathFeatures(state).map(({ path, features }) => [
      path,
      { opened: rounded(logistic(opened, features)), edited: rounded(logistic(edited, features)) },
    ]),
  )
}
