import { predict, type LogisticModel } from './logistic.ts'

export interface Candidate {
  readonly caseId: string
  readonly repo: string
  readonly features: Readonly<Record<string, number>>
}

export interface Fitted<One extends Candidate> {
  /** Fitted on everything: what ships. */
  readonly model: LogisticModel
  /** What a model says that has not seen the candidate's project. */
  readonly leftOut: (one: One) => number
  readonly own: (one: One) => number
}

/** A project is never judged by a model that has seen it. */
export function fitLeavingOut<One extends Candidate>(
  all: readonly One[],
  fit: (some: readonly One[]) => LogisticModel,
): Fitted<One> {
  const unseen = new Map<One, number>()
  for (const repo of new Set(all.map((one) => one.repo))) {
    const model = fit(all.filter((one) => one.repo !== repo))
    for (const one of all) if (one.repo === repo) unseen.set(one, predict(model, one.features))
  }
  const model = fit(all)
  return { model, leftOut: (one) => unseen.get(one) ?? 0, own: (one) => predict(model, one.features) }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
