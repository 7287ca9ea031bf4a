import type { PathChance } from '../../kernel/checkpoint.ts'
import { WEIGHTS } from '../work/weights.ts'
import { sightingsAt } from '../work/path-sightings.ts'
import { baseName, isScratch, stemOf } from '../../kernel/paths/paths.ts'
import { asKnownFiles } from '../../kernel/paths/same-file.ts'
import type { FileEntry, NamedEntry, WorkState } from '../work/state.ts'
import { saysWhatFor } from '../../kernel/text/text.ts'
import { partsOf } from '../../kernel/text/terms.ts'

const MIN_CHARS = 3
const MAX_TEXT = 3_000

/** What says nothing of which file is meant. */
const EVERYWHERE = partsOf('add fix make set new run file code test spec src lib index main')

function tellingWordsOf(text: string): readonly string[] {
  return [...partsOf(text)].filter((word) => word.length >= MIN_CHARS && !EVERYWHERE.has(word))
}

/** What the last part of a path is made of: `token_reader_test.go` is `token` and `reader`. */
function wordsOfFile(path: string): readonly string[] {
  const name = baseName(path)
  const dot = name.indexOf('.', 1)
  return tellingWordsOf(dot < 0 ? name : name.slice(0, dot))
}

/** How much of a file's name stands in a text, from 0 to 1; a word that most of these files have counts little. */
export function sharedWith(text: string, paths: readonly string[]): (path: string) => number {
  const asked = new Set(tellingWordsOf(text.slice(0, MAX_TEXT)))
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

interface Search {
  size: number
  /** How lately its files were touched, all together. */
  touched: number
}

function touchedLately(entry: FileEntry | NamedEntry, order: number): number {
  return isTouched(entry) ? 0.5 ** (Math.max(0, order - entry.lastOrder) / WEIGHTS.path.halfLife) : 0
}

/** Whether the work goes through what a search came up with: how lately the others of its files were touched, from 0 to 1. */
function besideOf(all: readonly (FileEntry | NamedEntry)[], order: number): (entry: FileEntry | NamedEntry) => number {
  const searches = new Map<number, Search>()
  for (const entry of all) {
    for (const at of entry.sightings.foundAt ?? []) {
      const search = searches.get(at) ?? { size: 0, touched: 0 }
      searches.set(at, search)
      search.size += 1
      search.touched += touchedLately(entry, order)
    }
  }
  return (entry) => {
    const own = touchedLately(entry, order)
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

function featuresOf(
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
    stem: Math.min(1, (stems.get(stemOf(path)) ?? 0) - own),
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

type Seen = Pick<WorkState, 'files' | 'named' | 'order' | 'plan' | 'asks'>

/** The newest ask that says what for, and what was said since. */
function newestAsks(asks: WorkState['asks']): string {
  const from = asks.findLastIndex(({ text }) => saysWhatFor(text))
  return asks
    .slice(Math.max(0, from))
    .map(({ text }) => text)
    .join('\n')
}

/** Every file that came up, with what its chances are told from. */
export function pathFeatures(state: Seen): readonly { readonly path: string; readonly features: PathFeatures }[] {
  const newestFirst = state.files.toSorted((a, b) => b.lastOrder - a.lastOrder || (a.path < b.path ? -1 : 1))
  const stems = stemsOf(newestFirst)
  const all = [...newestFirst, ...state.named]
  const { order } = state
  const paths = all.map(({ path }) => path)
  const planned = new Set(asKnownFiles(state.plan?.paths ?? [], paths))
  const asked = sharedWith(newestAsks(state.asks), paths)
  const beside = besideOf(all, order)
  return all.map((entry, rank) => ({
    path: entry.path,
    features: featuresOf(entry, {
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

/** Two logistic models over where, how often and how lately a file came up. */
export function pathChances(state: Seen): ReadonlyMap<string, PathChance> {
  const { opened, edited } = WEIGHTS.path
  return new Map(
    pathFeatures(state).map(({ path, features }) => [
      path,
      { opened: rounded(logistic(opened, features)), edited: rounded(logistic(edited, features)) },
    ]),
  )
}
