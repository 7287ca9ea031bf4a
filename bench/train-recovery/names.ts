import { estimateNameCost } from '../../src/recovery/render.ts'
import { scoreName, nameFeatures } from '../../src/checkpoint/summary.ts'
import type { TrainingCase } from './cases.ts'
import { fitChoices } from './choice.ts'
import { fitLeavingOut, mean, type Candidate } from './leave-one-out.ts'

/** Characters that the block gives to names, about. */
const ROOM_CHARS = 640

interface Name extends Candidate {
  readonly name: string
  readonly isNeeded: boolean
  readonly shipped: number
}

export function namesOf({ id, repo, work, names }: TrainingCase): readonly Name[] {
  const needed = new Set(names)
  if (needed.size === 0) return []
  return nameFeatures(work).map(({ name, features }) => ({
    caseId: id,
    repo,
    name,
    shipped: scoreName(features),
    features,
    isNeeded: needed.has(name),
  }))
}

/** The share of needed names among those that fit the room, averaged over cut points. */
function recall(all: readonly Name[], cases: readonly TrainingCase[], chance: (one: Name) => number): string {
  const shares = cases.flatMap(({ id, names }) => {
    if (names.length === 0) return []
    let room = ROOM_CHARS
    let hits = 0
    const density = (one: Name) => chance(one) / estimateNameCost(one.name)
    for (const one of all.filter(({ caseId }) => caseId === id).toSorted((a, b) => density(b) - density(a))) {
      if (one.name.length + 1 > room) continue
      room -= one.name.length + 1
      if (one.isNeeded) hits += 1
    }
    return [hits / names.length]
  })
  return mean(shares).toFixed(3)
}

/** The model as it goes into the weights, and what it recalls. */
export function trainNames(cases: readonly TrainingCase[], ridge: number): { readonly model: object; report: string } {
  const all = cases.flatMap(namesOf)
  const { model, leftOut, own } = fitLeavingOut(all, (some) => fitChoices(some, ridge))
  const shipped = recall(all, cases, (one) => one.shipped)
  return {
    model,
    report: `names recalled in ${ROOM_CHARS} characters: as shipped ${shipped}, project left out ${recall(all, cases, leftOut)}, fitted on all ${recall(all, cases, own)}`,
  }
}
