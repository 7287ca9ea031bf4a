import type { Change } from './history.ts'
import type { Definition, FileSymbols, SymbolKind } from '../parse/symbol.ts'
import { hashWord } from '../parse/words.ts'

/** Weighted edges of a directed graph, sorted by source: those of node `n` are `from[n]` to `from[n + 1]`. */
interface Graph {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly weight: Float64Array
}

const DAMPING = 0.7
const ROUNDS = 25

/** Personalized PageRank: `restart` (which sums to 1) is the restart distribution. */
export function pageRank({ from, to, weight }: Graph, restart: Float64Array): Float64Array {
  const nodes = restart.length
  const total = new Float64Array(nodes)
  for (let node = 0; node < nodes; node += 1) {
    for (let edge = from[node] ?? 0; edge < (from[node + 1] ?? 0); edge += 1) {
      total[node] = (total[node] ?? 0) + (weight[edge] ?? 0)
    }
  }
  let rank = Float64Array.from(restart)
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(nodes)
    let stranded = 0
    for (let node = 0; node < nodes; node += 1) {
      const here = rank[node] ?? 0
      const sum = total[node] ?? 0
      if (sum === 0) {
        stranded += here
        continue
      }
      for (let edge = from[node] ?? 0; edge < (from[node + 1] ?? 0); edge += 1) {
        const target = to[edge] ?? 0
        next[target] = (next[target] ?? 0) + (here * (weight[edge] ?? 0)) / sum
      }
    }
    for (let node = 0; node < nodes; node += 1) {
      const start = restart[node] ?? 0
      next[node] = (1 - DAMPING) * start + DAMPING * ((next[node] ?? 0) + stranded * start)
    }
    rank = next
  }
  return rank
}

/** A name defined in more files than this is ambiguous and ignored. */
const MAX_DEFINERS = 10
const MIN_NAME_CHARS = 3

/** Which files define a name, by its digest. */
type Definers = ReadonlyMap<number, readonly number[]>

function findDefiners(files: readonly FileSymbols[]): Definers {
  const definers = new Map<number, number[]>()
  for (const [index, { definitions }] of files.entries()) {
    for (const { name } of definitions) {
      if (name.length < MIN_NAME_CHARS) continue
      const digest = hashWord(name)
      const known = definers.get(digest)
      if (known === undefined) definers.set(digest, [index])
      else if (known.at(-1) !== index) known.push(index)
    }
  }
  for (const [digest, indices] of definers) if (indices.length > MAX_DEFINERS) definers.delete(digest)
  return definers
}

/** An edge from each file to the files whose definitions it uses; a name with several definers is split among them. */
function referenceGraph(files: readonly FileSymbols[], definers: Definers): Graph {
  const from = new Uint32Array(files.length + 1)
  const to: number[] = []
  const weight: number[] = []
  const strength = new Float64Array(files.length)
  for (const [index, { words }] of files.entries()) {
    const targets: number[] = []
    for (let n = 0; n < words.digests.length; n += 1) {
      const owners = definers.get(words.digests[n] ?? 0)
      if (owners === undefined) continue
      const share = Math.sqrt(words.counts[n] ?? 0) / owners.length
      for (const owner of owners) {
        if (owner === index) continue
        if (strength[owner] === 0) targets.push(owner)
        strength[owner] = (strength[owner] ?? 0) + share
      }
    }
    for (const target of targets) {
      to.push(target)
      weight.push(strength[target] ?? 0)
      strength[target] = 0
    }
    from[index + 1] = to.length
  }
  return { from, to: Uint32Array.from(to), weight: Float64Array.from(weight) }
}

/** For each file, how much other files use its names, weighted by the other file's weight. */
function demandFor(
  files: readonly FileSymbols[],
  definers: Definers,
  weights: Float64Array,
): readonly ReadonlyMap<number, number>[] {
  const demand = files.map(() => new Map<number, number>())
  const floor = 0.2 / Math.max(1, files.length)
  for (const [index, { words }] of files.entries()) {
    const say = (weights[index] ?? 0) + floor
    for (const digest of words.digests) {
      const owners = definers.get(digest)
      if (owners === undefined) continue
      for (const owner of owners) {
        if (owner === index) continue
        const asked = demand[owner]
        asked?.set(digest, (asked.get(digest) ?? 0) + say / owners.length)
      }
    }
  }
  return demand
}

export interface RankInput {
  readonly files: readonly (FileSymbols & { readonly path: string })[]
  /** Newest first. */
  readonly changes: readonly Change[]
  /** Paths with uncommitted changes. */
  readonly dirty: readonly string[]
}

export interface RankedSymbol extends Definition {
  /** Share of the file's weight. */
  readonly share: number
}

export interface RankedFile {
  readonly path: string
  /** Weights of all files sum to 1. */
  readonly weight: number
  /** Heaviest first; a name that is defined twice has its first line. */
  readonly symbols: readonly RankedSymbol[]
}

// The shapes below were chosen on public repositories (see bench/codemap.ts), where the optimum is flat: half or double
// any of them moves the result by less than a hundredth.
const FRESH_HALF_LIFE_COMMITS = 25
const LASTING_HALF_LIFE_COMMITS = 200
const LASTING_SHARE = 0.35
/** A commit that changes many files says little about each. */
const COMMIT_SIZE_EXPONENT = 0.3
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
  /** By file and name: how recently and often it was changed. */
  readonly names: readonly ReadonlyMap<string, number>[]
}

function measureHeat({ files, changes, dirty }: RankInput): Heat {
  const indexOf = new Map(files.map(({ path }, index) => [path, index]))
  const heat = new Float64Array(files.length)
  const names = files.map(() => new Map<string, number>())
  for (const [age, { files: changed }] of changes.entries()) {
    const known = changed.filter(({ path }) => indexOf.has(path))
    const fresh = 0.5 ** (age / FRESH_HALF_LIFE_COMMITS)
    const lasting = LASTING_SHARE * 0.5 ** (age / LASTING_HALF_LIFE_COMMITS)
    const warmth = (fresh + lasting) / Math.max(1, known.length) ** COMMIT_SIZE_EXPONENT
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

/** Normalized to a sum of 1; uniform when all are 0. */
function normalized(values: Float64Array): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0)
  return sum === 0 ? values.fill(1 / Math.max(1, values.length)) : values.map((value) => value / sum)
}

const getFolder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** A file in a frequently changed folder is more likely to be next. */
function addFolderHeat(files: RankInput['files'], weights: Float64Array): Float64Array {
  const folders = new Map<string, { sum: number; count: number }>()
  for (const [index, { path }] of files.entries()) {
    const folder = folders.get(getFolder(path)) ?? { sum: 0, count: 0 }
    folder.sum += weights[index] ?? 0
    folder.count += 1
    folders.set(getFolder(path), folder)
  }
  return weights.map((weight, index) => {
    const { sum, count } = folders.get(getFolder(files[index]?.path ?? '')) ?? { sum: 0, count: 1 }
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
      const demand = demandTotal === 0 ? 0 : (signals.demand.get(hashWord(definition.name)) ?? 0) / demandTotal
      const share = (TOUCHED_WEIGHT * touched + DEMAND_WEIGHT * demand + present) * KIND_WEIGHT[definition.kind]
      return { ...definition, share }
    })
    .toSorted((a, b) => b.share - a.share || a.line - b.line)
}

/** Heaviest first: by recent changes, uncommitted changes, and what those files refer to. */
export function rankFiles(input: RankInput): readonly RankedFile[] {
  const { files } = input
  const count = Math.max(1, files.length)
  const heat = measureHeat(input)
  const recent = normalized(Float64Array.from(heat.files))
  const definers = findDefiners(files)
  const restart = recent.map((value) => (1 - EVEN_RESTART_SHARE) * value + EVEN_RESTART_SHARE / count)
  const central = pageRank(referenceGraph(files, definers), restart)
  const mixed = recent.map(
    (value, index) => (1 - GRAPH_SHARE) * value + GRAPH_SHARE * (central[index] ?? 0) + EVEN_SHARE / count,
  )
  const weights = normalized(addFolderHeat(files, mixed))
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
