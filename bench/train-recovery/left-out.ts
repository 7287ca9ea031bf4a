import { WEIGHTS } from '../../src/checkpoint/work/weights.ts'
import { moreCases, trainingCases } from './cases.ts'
import { type Choice, fitChoices } from './choice.ts'
import { namesOf } from './names.ts'
import { pathsOf } from './paths.ts'

/** What `train-recovery` fits with unless told. */
export const USUAL_RIDGE = 10

interface Source {
  readonly data: string
  readonly split: string
  /** Takes the cut transcripts. */
  readonly folder: string
}

/** Puts models in place that were fitted without the project of a cut point, so that its text can be composed by them. */
export type LeaveOut = (caseId: string) => void

/** A project is composed for by models that have not seen it. */
export async function leavingProjectsOut({ data, split, folder }: Source): Promise<LeaveOut> {
  const cases = await trainingCases(data, split, folder)
  const names = cases.flatMap(namesOf)
  const paths = [...cases, ...(await moreCases(data, split, folder))].flatMap(pathsOf)
  const repoOf = new Map(cases.map(({ id, repo }) => [id, repo]))
  const fitted = new Map(
    [...new Set(repoOf.values())].map((left) => {
      const fit = (all: readonly (Choice & { readonly repo: string })[]) =>
        fitChoices(
          all.filter(({ repo }) => repo !== left),
          USUAL_RIDGE,
        )
      console.error(`fitting without ${left}`)
      const edited = paths.map((path) => ({ ...path, isNeeded: path.isEdited }))
      return [left, { names: fit(names), opened: fit(paths), edited: fit(edited) }] as const
    }),
  )
  return (caseId) => {
    const models = fitted.get(repoOf.get(caseId) ?? '')
    if (models === undefined) throw new Error(`Nothing is known of the project of ${caseId}.`)
    Object.assign(WEIGHTS.name, models.names)
    Object.assign(WEIGHTS.path.opened, models.opened)
    Object.assign(WEIGHTS.path.edited, models.edited)
  }
}
