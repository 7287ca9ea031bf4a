import type { Change } from '../history.ts'
import { pageRank } from './page-rank.ts'
import { definersIn, demandFor, referenceGraph } from './references.ts'
import type { Definition, FileFacts, SymbolKind } from '../parse/symbol.ts'
import { digestOf } from '../parse/words.ts'

export interface RankInput {
  readonly files: readonly (FileFacts & { readonly path: string })[]
  /** Newest first. */
  readonly changes: readonly Change[]
  /** Paths with uncommitted changes. */
  readonly dirty: readonly string[]
}

export interface RankedSymbol extends Definition {
  /** Its share of the file's weight. */
  readonly share: number
}

export interface RankedFile {
  readonly path: string
  /** All files' weights sum to 1. */
  readonly weight: number
  /** Heaviest first; a name that is defined twice stands for its first place. */
  readonly symbols: readonly RankedSymbol[]
}

// The shapes below were chosen on public repositories (see bench/codemap.ts), where the optimum is flat: half or double
// any of them moves the result by less than a hundredth.
const FRESH_HALF_LIFE_COMMITS = 25
const LASTING_HALF_LIFE_COMMITS = 200
const LASTING_SHARE = 0.35
/** A commit that touches everything says little about each file. */
const CROWD_EXPONENT = 0.3
const DIRTY_HEAT = 2
const GRAPH_SHARE = 0.15
const EVEN_RESTART_SHARE = 0.2
const FOLDER_SHARE = 0.25
const EVEN_SHARE = 0.02

const TOUCHED_WEIGHT = 1.5
const DEMAND_WEIGHT = 0.3
const PRESENT_WEIGHT = 0.002
const KIND_WEIGHT: Readonly<Record<SymbolKind, number>> = {
  function: 1,
  class: 1,
  interface: 1,
  type: 1,
  module: 1,
  method: 0.4,
  constant: 0.4,
}

interface Heat {
  readonly files: Float64Array
  /** By file, by name: how recently and often git placed a change in it. */
  readonly names: readonly ReadonlyMap<string, number>[]
}

function heatOf({ files, changes, dirty }: RankInput): Heat {
  const indexOf = new Map(files.map(({ path }, index) => [path, index]))
  const heat = new Float64Array(files.length)
  const names = files.map(() => new Map<string, number>())
  for (const [age, { files: changed }] of changes.entries()) {
    const known = changed.filter(({ path }) => indexOf.has(path))
    const fresh = 0.5 ** (age / FRESH_HALF_LIFE_COMMITS)
    const lasting = LASTING_SHARE * 0.5 ** (age / LASTING_HALF_LIFE_COMMITS)
    const warmth = (fresh + lasting) / Math.max(1, known.length) ** CROWD_EXPONENT
    for (const { path, touched } of known) {
      const index = indexOf.get(path) ?? 0
      heat[index] = (heat[index] ?? 0) + warmth
      const ofFile = names[index]
      for (const name of touched) ofFile?.set(name, (ofFile.get(name) ?? 0) + warmth)
    }
  }
  for (const path of dirty) {
    const index = indexOf.get(path)
    if (index !== undefined) heat[index] = (heat[index] ?? 0) + DIRTY_HEAT
  }
  return { files: heat, names }
}

/** As shares of 1; all alike where there is nothing to go by. */
function normalized(values: Float64Array): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0)
  return sum === 0 ? values.fill(1 / Math.max(1, values.length)) : values.map((value) => value / sum)
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** A file in a busy folder is likelier to be next than the same file in a quiet one. */
function warmedByFolder(files: RankInput['files'], weights: Float64Array): Float64Array {
  const folders = new Map<string, { sum: number; count: number }>()
  for (const [index, { path }] of files.entries()) {
    const folder = folders.get(folderOf(path)) ?? { sum: 0, count: 0 }
    folder.sum += weights[index] ?? 0
    folder.count += 1
    folders.set(folderOf(path), folder)
  }
  return weights.map((weight, index) => {
    const { sum, count } = folders.get(folderOf(files[index]?.path ?? '')) ?? { sum: 0, count: 1 }
    return (1 - FOLDER_SHARE) * weight + (FOLDER_SHARE * sum) / count
  })
}

function firstOfEachName(definitions: readonly Definition[]): readonly Definition[] {
  const first = new Map<string, Definition>()
  for (const definition of definitions) if (!first.has(definition.name)) first.set(definition.name, definition)
  return [...first.values()]
}

interface SymbolSignals {
  readonly fileHeat: number
  readonly touched: ReadonlyMap<string, number>
  readonly demand: ReadonlyMap<number, number>
}

function rankSymbols(definitions: readonly Definition[], signals: SymbolSignals): readonly RankedSymbol[] {
  const unique = firstOfEachName(definitions)
  const touchedSum = unique.reduce((sum, { name }) => sum + (signals.touched.get(name) ?? 0), 0)
  const touchedTotal = Math.max(signals.fileHeat, touchedSum)
  const demandTotal = [...signals.demand.values()].reduce((sum, value) => sum + value, 0)
  const present = PRESENT_WEIGHT / Math.sqrt(Math.max(1, unique.length))
  return unique
    .map((definition) => {
      const touched = touchedTotal === 0 ? 0 : (signals.touched.get(definition.name) ?? 0) / touchedTotal
      const demand = demandTotal === 0 ? 0 : (signals.demand.get(digestOf(definition.name)) ?? 0) / demandTotal
      const share = (TOUCHED_WEIGHT * touched + DEMAND_WEIGHT * demand + present) * KIND_WEIGHT[definition.kind]
      return { ...definition, share }
    })
    .toSorted((a, b) => b.share - a.share || a.line - b.line)
}

/** Heaviest first: by what was changed lately, what is being changed now, and what those files refer to. */
export function rankFiles(input: RankInput): readonly RankedFile[] {
  const { files } = input
  const count = Math.max(1, files.length)
  const heat = heatOf(input)
  const recent = normalized(Float64Array.from(heat.files))
  const definers = definersIn(files)
  const restart = recent.map((value) => (1 - EVEN_RESTART_SHARE) * value + EVEN_RESTART_SHARE / count)
  const central = pageRank(referenceGraph(files, definers), restart)
  const mixed = recent.map(
    (value, index) => (1 - GRAPH_SHARE) * value + GRAPH_SHARE * (central[index] ?? 0) + EVEN_SHARE / count,
  )
  const weights = normalized(warmedByFolder(files, mixed))
  const demand = demandFor(files, definers, weights)
  return files
    .map(({ path, definitions }, index) => ({
      path,
      weight: weights[index] ?? 0,
      symbols: rankSymbols(definitions, {
        fileHeat: heat.files[index] ?? 0,
        touched: heat.names[index] ?? new Map(),
        demand: demand[index] ?? new Map(),
      }),
    }))
    .toSorted((a, b) => b.weight - a.weight || (a.path < b.path ? -1 : 1))
}
