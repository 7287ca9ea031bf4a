export interface LogisticModel {
  readonly bias: number
  readonly weights: Readonly<Record<string, number>>
}

export function predict({ bias, weights }: LogisticModel, features: Readonly<Record<string, number>>): number {
  let score = bias
  for (const [name, value] of Object.entries(features)) score += (weights[name] ?? 0) * value
  return 1 / (1 + Math.exp(-score))
}

/** Gaussian elimination with partial pivoting; the matrix is small and, thanks to the ridge, never singular. */
export function solve(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0])
  const size = rows.length
  for (let column = 0; column < size; column += 1) {
    let pivot = column
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[pivot]?.[column] ?? 0)) pivot = row
    }
    const [top, below] = [rows[pivot] ?? [], rows[column] ?? []]
    rows[column] = top
    rows[pivot] = below
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue
      const target = rows[row] ?? []
      const factor = (target[column] ?? 0) / (top[column] ?? 1)
      for (let at = column; at <= size; at += 1) target[at] = (target[at] ?? 0) - factor * (top[at] ?? 0)
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1))
}
