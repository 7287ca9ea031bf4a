import type { Matrix } from './principal.ts'

const ROUNDS = 5
/** Beside a weight of 1 for the vector that the model gave. */
const PULL = 0.5

function normalise(vector: Float32Array): void {
  const length = Math.hypot(...vector) || 1
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length
}

/** Moves the vector of each row towards those of related rows: Faruqui et al., "Retrofitting word vectors to semantic lexicons". */
export function retrofit(
  { rows, columns, values }: Matrix,
  related: readonly (readonly (readonly [row: number, weight: number])[])[],
): Float32Array {
  const mean = new Float64Array(columns)
  for (let at = 0; at < values.length; at++) {
    const column = at % columns
    mean[column] = (mean[column] ?? 0) + (values[at] ?? 0) / rows
  }
  const rowOf = (matrix: Float32Array, row: number) => matrix.subarray(row * columns, (row + 1) * columns)
  const given = values.map((value, at) => value - (mean[at % columns] ?? 0))
  for (let row = 0; row < rows; row++) normalise(rowOf(given, row))
  let now = given
  for (let round = 0; round < ROUNDS; round++) {
    const next = Float32Array.from(given)
    for (const [row, others] of related.entries()) {
      const own = rowOf(next, row)
      const total = Math.max(
        1,
        others.reduce((sum, [, weight]) => sum + weight, 0),
      )
      for (const [other, weight] of others) {
        const theirs = rowOf(now, other)
        const share = (PULL * weight) / total
        for (let at = 0; at < columns; at++) own[at] = (own[at] ?? 0) + share * (theirs[at] ?? 0)
      }
      normalise(own)
    }
    now = next
  }
  return now
}
