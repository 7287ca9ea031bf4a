/** Rows of equal length, one after the other. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

function centred({ rows, columns, values }: Matrix): Float32Array {
  const mean = new Float64Array(columns)
  for (let at = 0; at < values.length; at++) {
    const column = at % columns
    mean[column] = (mean[column] ?? 0) + (values[at] ?? 0) / rows
  }
  return values.map((value, at) => value - (mean[at % columns] ?? 0))
}

function covariance(values: Float32Array, rows: number, columns: number): Float64Array {
  const sums = new Float64Array(columns * columns)
  for (let row = 0; row < rows; row++) {
    const vector = values.subarray(row * columns, (row + 1) * columns)
    for (let a = 0; a < columns; a++) {
      const left = vector[a] ?? 0
      for (let b = a; b < columns; b++) sums[a * columns + b] = (sums[a * columns + b] ?? 0) + left * (vector[b] ?? 0)
    }
  }
  for (let a = 0; a < columns; a++) {
    for (let b = 0; b < a; b++) sums[a * columns + b] = sums[b * columns + a] ?? 0
  }
  return sums
}

/** Gram-Schmidt, in place. */
function orthonormalise(vectors: readonly Float64Array[]): void {
  for (const [index, vector] of vectors.entries()) {
    for (const other of vectors.slice(0, index)) {
      const along = vector.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
      for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) - along * (other[at] ?? 0)
    }
    const length = Math.hypot(...vector) || 1
    for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length
  }
}

const ROUNDS = 60

/** The directions in which the rows differ most, by orthogonal iteration from a fixed start: the same at every run. */
function directions(matrix: Float64Array, size: number, count: number): readonly Float64Array[] {
  let vectors = Array.from({ length: count }, (_, row) =>
    Float64Array.from({ length: size }, (__, at) => Math.sin(1 + row * size + at)),
  )
  for (let round = 0; round < ROUNDS; round++) {
    orthonormalise(vectors)
    vectors = vectors.map((vector) =>
      Float64Array.from({ length: size }, (_, row) => {
        let sum = 0
        for (let at = 0; at < size; at++) sum += (matrix[row * size + at] ?? 0) * (vector[at] ?? 0)
        return sum
      }),
    )
  }
  orthonormalise(vectors)
  return vectors
}

/** Every row by its parts along the principal directions, at unit length. */
export function principalParts(matrix: Matrix, count: number): readonly Float32Array[] {
  const { rows, columns } = matrix
  const values = centred(matrix)
  const along = directions(covariance(values, rows, columns), columns, count)
  return Array.from({ length: rows }, (_, row) => {
    const vector = values.subarray(row * columns, (row + 1) * columns)
    const parts = Float32Array.from(along, (direction) =>
      direction.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
    )
    const length = Math.hypot(...parts) || 1
    return parts.map((part) => part / length)
  })
}
