/** Weighted edges of a directed graph, sorted by where they start: those of node `n` are `from[n]` to `from[n + 1]`. */
export interface Graph {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly weight: Float64Array
}

const DAMPING = 0.7
const ROUNDS = 25

/** Where a reader ends up who starts by `restart` (which sums to 1) and follows references, now and then starting anew. */
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
