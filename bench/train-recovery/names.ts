import { chanceOfName, nameFeatures } from '../../src/core/work/attention.ts'
import type { TrainingCase } from './cases.ts'
import { fitLeavingOut, mean, type Candidate } from './leave-one-out.ts'

/** Candidates of one cut point that are learnt from: the rest are names nobody would show. */
const MAX_CANDIDATES = 300
/** Characters that the block gives to names, about. */
const ROOM_CHARS = 600

interface Name extends Candidate {
  readonly name: string
  readonly isNeeded: boolean
  readonly shipped: number
}

function namesOf({ id, repo, work, names }: TrainingCase): readonly Name[] {
  const needed = new Set(names)
  if (needed.size === 0) return []
  return work.identifiers
    .map((entry) => ({ entry, shipped: chanceOfName(entry, work.order) }))
    .toSorted((a, b) => b.shipped - a.shipped)
    .slice(0, MAX_CANDIDATES)
    .map(({ entry, shipped }) => ({
      caseId: id,
      repo,
      name: entry.name,
      shipped,
      features: nameFeatures(entry, work.order),
      isNeeded: needed.has(entry.name),
    }))
}

/** The share of needed names among those that fit the room, averaged over cut points. */
function recall(all: readonly Name[], cases: readonly TrainingCase[], chance: (one: Name) => number): string {
  const shares = cases.flatMap(({ id, names }) => {
    if (names.length === 0) return []
    let room = ROOM_CHARS
    let hits = 0
    for (const one of all.filter(({ caseId }) => caseId === id).toSorted((a, b) => chance(b) - chance(a))) {
      if (one.name.length + 2 > room) continue
      room -= one.name.length + 2
      if (one.isNeeded) hits += 1
    }
    return [hits / names.length]
  })
  return mean(shares).toFixed(3)
}

/** The model as it goes into the weights, and what it recalls. */
export function trainNames(cases: readonly TrainingCase[], ridge: number): { readonly model: object; report: string } {
  const all = cases.flatMap(namesOf)
  const { model, leftOut, own } = fitLeavingOut(all, { ridge, isNeeded: (one) => one.isNeeded })
  const shipped = recall(all, cases, (one) => one.shipped)
  return {
    model,
    report: `names recalled in ${ROOM_CHARS} characters: as shipped ${shipped}, project left out ${recall(all, cases, leftOut)}, fitted on all ${recall(all, cases, own)}`,
  }
}
