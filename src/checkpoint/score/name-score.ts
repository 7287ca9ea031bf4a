import { WEIGHTS } from '../work/weights.ts'
import { companyOf } from '../work/cooccurrence.ts'
import { sharesOfMatter } from './topic-overlap.ts'
import type { IdentifierEntry, WorkState } from '../work/state.ts'

/** What a name's chance is told from, by the names of the weights; a feature that is absent is 0. */
export type NameFeatures = Readonly<Record<string, number>>

/** So that what is hardly in company is told from what is in none. */
const COMPANY_SCALE = 1_000

function fadedBy(age: number): number {
  return 0.5 ** (age / WEIGHTS.name.halfLife)
}

/** The same name, its sightings faded to a later time. */
export function atOrder(entry: IdentifierEntry, order: number): IdentifierEntry {
  const share = fadedBy(order - entry.lastOrder)
  const { said, acted, shown } = entry
  return {
    ...entry,
    said: said * share,
    acted: acted * share,
    shown: shown * share,
    lastOrder: order,
  }
}

function ownFeatures(entry: IdentifierEntry, order: number): NameFeatures {
  const { name } = entry
  const now = atOrder(entry, order)
  const isCapitals = name === name.toUpperCase()
  return {
    asked: now.asked > 0 ? 1 : 0,
    said: Math.log2(1 + now.said),
    acted: Math.log2(1 + now.acted),
    shown: Math.log2(1 + now.shown),
    sightings: Math.log2(entry.sightings),
    age: Math.log2(1 + order - entry.lastOrder),
    found: entry.wasFound === true ? 1 : 0,
    pascal: !isCapitals && /^[A-Z]/.test(name) ? 1 : 0,
    underscore: name.includes('_') ? 1 : 0,
    capitals: isCapitals ? 1 : 0,
    length: Math.log2(name.length),
  }
}

function scoreOf(features: NameFeatures): number {
  const weights: NameFeatures = WEIGHTS.name.weights
  return Object.entries(features).reduce((sum, [feature, value]) => sum + (weights[feature] ?? 0) * value, 0)
}

/** How one name stands to others, whatever the work is about just now: which to keep. */
export function standingOf(entry: IdentifierEntry, order: number): number {
  return scoreOf(ownFeatures(entry, order))
}

type Names = Pick<WorkState, 'identifiers' | 'scenes' | 'order' | 'asks' | 'statements' | 'todos'>

/** Every name that came up, with what its chance is told from. */
export function nameFeatures(state: Names): readonly { readonly name: string; readonly features: NameFeatures }[] {
  const { identifiers, order } = state
  const company = companyOf(state)
  const matter = sharesOfMatter(
    state,
    identifiers.map(({ name }) => name),
  )
  return identifiers.map((entry) => ({
    name: entry.name,
    features: {
      ...ownFeatures(entry, order),
      company: Math.log2(1 + COMPANY_SCALE * (company.get(entry.name) ?? 0)),
      matter: matter.get(entry.name) ?? 0,
    },
  }))
}

/** The chance that a name comes up again: a logistic model over where, how often, how lately and beside which others it was seen. */
export function chanceOfName(features: NameFeatures): number {
  return 1 / (1 + Math.exp(-WEIGHTS.name.bias - scoreOf(features)))
}
