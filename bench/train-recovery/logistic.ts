import { standardised } from './standardised.ts'

/** One thing that may or may not be needed later, as the model sees it. */
export interface Example {
  readonly features: Readonly<Record<string, number>>
  readonly isNeeded: boolean
}

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

const MAX_STEPS = 40

/** Newton's method on standardised features with a ridge; weights are given back on the features' own scale. */
export function fitLogistic(examples: readonly Example[], ridge: number): LogisticModel {
  const { rows: values, size: count, model } = standardised(examples.map(({ features }) => features))
  const rows = values.map((row) => [...row, 1])
  const size = count + 1
  const weights = Array.from({ length: size }, () => 0)
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const gradient = weights.map((weight, at) => (at < count ? ridge * weight : 0))
    const curvature = weights.map((_, at) => weights.map((__, other) => (at === other ? ridge : 0)))
    for (const [index, row] of rows.entries()) {
      const score = row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)
      const chance = 1 / (1 + Math.exp(-score))
      const error = chance - (examples[index]?.isNeeded === true ? 1 : 0)
      const slope = chance * (1 - chance)
      for (let at = 0; at < size; at += 1) {
        const value = row[at] ?? 0
        gradient[at] = (gradient[at] ?? 0) + error * value
        const line = curvature[at] ?? []
        for (let other = 0; other < size; other += 1)
          line[other] = (line[other] ?? 0) + slope * value * (row[other] ?? 0)
      }
    }
    const change = solve(curvature, gradient)
    change.forEach((by, at) => {
      weights[at] = (weights[at] ?? 0) - by
    })
    if (Math.max(...change.map(Math.abs)) < 1e-6) break
  }
  return model(weights[count] ?? 0, weights)
}
