import { type LogisticModel, solve } from './logistic.ts'
import { standardised } from './standardised.ts'

export interface Choice {
  readonly caseId: string
  readonly features: Readonly<Record<string, number>>
  readonly isNeeded: boolean
}

interface Member {
  readonly row: readonly number[]
  /** What saying it is worth: all that a cut point needs is worth 1. */
  readonly worth: number
}

const MAX_STEPS = 60
const MAX_HALVINGS = 20

function scoreOf(row: readonly number[], weights: readonly number[]): number {
  return row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)
}

function chancesOf(members: readonly Member[], weights: readonly number[]): readonly number[] {
  const scores = members.map(({ row }) => scoreOf(row, weights))
  const highest = Math.max(...scores)
  const parts = scores.map((score) => Math.exp(score - highest))
  const whole = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part) => part / whole)
}

function lossOf(cases: readonly (readonly Member[])[], weights: readonly number[], ridge: number): number {
  let loss = (ridge / 2) * weights.reduce((sum, weight) => sum + weight ** 2, 0)
  for (const members of cases) {
    const chances = chancesOf(members, weights)
    for (const [at, { worth }] of members.entries()) if (worth > 0) loss -= worth * Math.log(chances[at] ?? 1)
  }
  return loss
}

/** Where Newton's method would go next. */
function stepFrom(cases: readonly (readonly Member[])[], weights: readonly number[], ridge: number): readonly number[] {
  const gradient = weights.map((weight) => ridge * weight)
  const curvature = weights.map((_, at) => weights.map((__, other) => (at === other ? ridge : 0)))
  for (const members of cases) {
    const mean = weights.map(() => 0)
    for (const [index, chance] of chancesOf(members, weights).entries()) {
      const { row = [], worth = 0 } = members[index] ?? {}
      for (const [at, value] of row.entries()) {
        mean[at] = (mean[at] ?? 0) + chance * value
        gradient[at] = (gradient[at] ?? 0) + (chance - worth) * value
        const line = curvature[at] ?? []
        for (const [other, beside] of row.entries()) line[other] = (line[other] ?? 0) + chance * value * beside
      }
    }
    for (const [at, line] of curvature.entries())
      for (const [other, beside] of mean.entries()) line[other] = (line[other] ?? 0) - (mean[at] ?? 0) * beside
  }
  return solve(curvature, gradient)
}

/** The bias with which the chances of all add up to as many as were needed. */
function biasFor(scores: readonly number[], needed: number): number {
  let [low, high] = [-30, 30]
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    const sum = scores.reduce((total, score) => total + 1 / (1 + Math.exp(-score - middle)), 0)
    if (sum < needed) low = middle
    else high = middle
  }
  return low
}

/**
 * Which of a cut point's candidates are needed, whatever other cut points have: a conditional logit with a ridge. Every cut point
 * counts the same; fitted on all candidates alike, the few that need thirty names would decide for the many that need three.
 */
export function fitChoices(all: readonly Choice[], ridge: number): LogisticModel {
  const { rows, size, model } = standardised(all.map(({ features }) => features))
  const byCase = new Map<string, { readonly row: readonly number[]; readonly isNeeded: boolean }[]>()
  for (const [at, { caseId, isNeeded }] of all.entries()) {
    const members = byCase.get(caseId) ?? []
    byCase.set(caseId, members)
    members.push({ row: rows[at] ?? [], isNeeded })
  }
  const cases = [...byCase.values()].flatMap((members) => {
    const needed = members.filter(({ isNeeded }) => isNeeded).length
    return needed === 0 ? [] : [members.map(({ row, isNeeded }) => ({ row, worth: isNeeded ? 1 / needed : 0 }))]
  })
  let weights: readonly number[] = Array.from({ length: size }, () => 0)
  let loss = lossOf(cases, weights, ridge)
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const change = stepFrom(cases, weights, ridge)
    const before = loss
    // A whole step may lead too far: the needed ones lie far out.
    for (let [halving, share] = [0, 1]; halving < MAX_HALVINGS; halving += 1, share /= 2) {
      const next = weights.map((weight, at) => weight - share * (change[at] ?? 0))
      const then = lossOf(cases, next, ridge)
      if (then >= loss) continue
      ;[weights, loss] = [next, then]
      break
    }
    if (before - loss < 1e-9) break
  }
  const scores = rows.map((row) => scoreOf(row, weights))
  return model(biasFor(scores, all.filter(({ isNeeded }) => isNeeded).length), weights)
}
