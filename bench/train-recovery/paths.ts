import type { PathScore } from '../../src/kernel/checkpoint.ts'
import { likelyEnough, worthNaming } from '../../src/recovery/items/rank-files.ts'
import { scorePaths, computePathFeatures } from '../../src/checkpoint/score/path-score.ts'
import type { PathKey, TrainingCase } from './cases.ts'
import { fitChoices } from './choice.ts'
import { fitLeavingOut, mean, type Candidate } from './leave-one-out.ts'

interface Path extends Candidate {
  readonly path: string
  readonly isNeeded: boolean
  readonly isEdited: boolean
  readonly shipped: PathScore
}

function says(path: string, [whole, end]: PathKey): boolean {
  return path === whole || path === end || path.endsWith(`/${end}`)
}

export function pathsOf({ id, repo, work, edited, read }: TrainingCase): readonly Path[] {
  const shipped = scorePaths(work)
  return computePathFeatures(work).map(({ path, features }) => {
    const isEdited = edited.some((key) => says(path, key))
    return {
      caseId: id,
      repo,
      path,
      features,
      isEdited,
      isNeeded: isEdited || read.some((key) => says(path, key)),
      shipped: shipped.get(path) ?? { opened: 0, edited: 0 },
    }
  })
}

/** What would be named of each cut point: how many of the needed files, and how many of the named ones are needed. */
function judged(all: readonly Path[], cases: readonly TrainingCase[], chance: (one: Path) => PathScore): string {
  const [edited, read, precise]: [number[], number[], number[]] = [[], [], []]
  for (const one of cases) {
    const candidates = all
      .filter(({ caseId }) => caseId === one.id)
      .map((path) => ({ ...path, chance: chance(path) }))
      .toSorted((a, b) => b.chance.opened + b.chance.edited - a.chance.opened - a.chance.edited)
    const named = worthNaming(likelyEnough(candidates, ({ features }) => features['touched'] === undefined))
    const share = (keys: readonly PathKey[]) =>
      keys.filter((key) => named.some(({ path }) => says(path, key))).length / keys.length
    if (one.edited.length > 0) edited.push(share(one.edited))
    if (one.read.length > 0) read.push(share(one.read))
    if (named.length > 0) precise.push(named.filter(({ isNeeded }) => isNeeded).length / named.length)
  }
  return `${mean(edited).toFixed(3)} / ${mean(read).toFixed(3)} / ${mean(precise).toFixed(3)}`
}

/** Both models as they go into the weights, and what they name. `more` is learnt from and not judged. */
export function trainPaths(
  { cases, more }: { readonly cases: readonly TrainingCase[]; readonly more: readonly TrainingCase[] },
  ridge: number,
): { readonly model: object; report: string } {
  const all = [...cases, ...more].flatMap(pathsOf)
  const opened = fitLeavingOut(all, (some) => fitChoices(some, ridge))
  const edited = fitLeavingOut(all, (some) =>
    fitChoices(
      some.map(({ caseId, features, isEdited }) => ({ caseId, features, isNeeded: isEdited })),
      ridge,
    ),
  )
  const [shipped, leftOut, own] = [
    judged(all, cases, (one) => one.shipped),
    judged(all, cases, (one) => ({ opened: opened.leftOut(one), edited: edited.leftOut(one) })),
    judged(all, cases, (one) => ({ opened: opened.own(one), edited: edited.own(one) })),
  ]
  return {
    model: { opened: opened.model, edited: edited.model },
    report: `files edited / read that are named / share of the named that are needed: as shipped ${shipped}, project left out ${leftOut}, fitted on all ${own}`,
  }
}
