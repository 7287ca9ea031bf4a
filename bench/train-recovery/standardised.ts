import type { LogisticModel } from './logistic.ts'

type Features = Readonly<Record<string, number>>

/** Features as rows of numbers of one scale, and the way back to their own. */
export interface Standardised {
  readonly size: number
  readonly rows: readonly (readonly number[])[]
  /** Rounded as weights are written down. */
  readonly model: (bias: number, weights: readonly number[]) => LogisticModel
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

export function standardised(all: readonly Features[]): Standardised {
  const names = [...new Set(all.flatMap((features) => Object.keys(features)))].toSorted()
  const mean = names.map((name) => all.reduce((sum, one) => sum + (one[name] ?? 0), 0) / all.length)
  const spread = names.map((name, at) => {
    const squares = all.reduce((sum, one) => sum + ((one[name] ?? 0) - (mean[at] ?? 0)) ** 2, 0)
    return Math.sqrt(squares / all.length) + 1e-6
  })
  return {
    size: names.length,
    rows: all.map((one) => names.map((name, at) => ((one[name] ?? 0) - (mean[at] ?? 0)) / (spread[at] ?? 1))),
    model: (bias, weights) => {
      const own = names.map((_, at) => (weights[at] ?? 0) / (spread[at] ?? 1))
      const shift = own.reduce((sum, weight, at) => sum + weight * (mean[at] ?? 0), 0)
      return {
        bias: rounded(bias - shift),
        weights: Object.fromEntries(names.map((name, at) => [name, rounded(own[at] ?? 0)])),
      }
    },
  }
}
