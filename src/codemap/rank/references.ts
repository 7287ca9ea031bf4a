import type { Graph } from './page-rank.ts'
import type { FileFacts } from '../parse/symbol.ts'
import { digestOf } from '../parse/words.ts'

/** A name that more files define says nothing about which of them is meant. */
const MAX_DEFINERS = 10
const MIN_NAME_CHARS = 3

/** Which files define a name, by its digest. */
export type Definers = ReadonlyMap<number, readonly number[]>

export function definersIn(files: readonly FileFacts[]): Definers {
  const definers = new Map<number, number[]>()
  for (const [index, { definitions }] of files.entries()) {
    for (const { name } of definitions) {
      if (name.length < MIN_NAME_CHARS) continue
      const digest = digestOf(name)
      const known = definers.get(digest)
      if (known === undefined) definers.set(digest, [index])
      else if (known.at(-1) !== index) known.push(index)
    }
  }
  for (const [digest, indices] of definers) if (indices.length > MAX_DEFINERS) definers.delete(digest)
  return definers
}

/** An edge from each file to those whose definitions it names; a name with several definers is shared among them. */
export function referenceGraph(files: readonly FileFacts[], definers: Definers): Graph {
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

/** For each file, how much its names are asked for by other files, each counted by its own weight. */
export function demandFor(
  files: readonly FileFacts[],
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
