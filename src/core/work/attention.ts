import { WEIGHTS } from '../recovery/weights.ts'
import { LIMITS, type IdentifierEntry, type SightingKind } from './state.ts'

function fadedBy(age: number): number {
  return 0.5 ** (age / WEIGHTS.name.halfLife)
}

function atOrder(entry: IdentifierEntry, order: number): IdentifierEntry {
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

/** What goes into the model for one name, by the names of its weights. */
export function nameFeatures(entry: IdentifierEntry, order: number): Readonly<Record<string, number>> {
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
    pascal: !isCapitals && /^[A-Z]/.test(name) ? 1 : 0,
    underscore: name.includes('_') ? 1 : 0,
    capitals: isCapitals ? 1 : 0,
    length: Math.log2(name.length),
  }
}

/** The chance that a name comes up again: a logistic model over where, how often and how lately it was seen. */
export function chanceOfName(entry: IdentifierEntry, order: number): number {
  const weights: Readonly<Record<string, number>> = WEIGHTS.name.weights
  let score: number = WEIGHTS.name.bias
  for (const [feature, value] of Object.entries(nameFeatures(entry, order))) score += (weights[feature] ?? 0) * value
  return 1 / (1 + Math.exp(-score))
}

/** The user asks for something else: what was asked for before is no longer what the work is about. */
export function withoutAsked(entries: readonly IdentifierEntry[]): readonly IdentifierEntry[] {
  return entries.map((entry) => (entry.asked === 0 ? entry : { ...entry, asked: 0 }))
}

/** The names after one more sighting of some of them; the faintest go when there are too many. */
export function withSightings(
  entries: readonly IdentifierEntry[],
  names: readonly string[],
  { order, kind, share }: { order: number; kind: SightingKind; share: number },
): readonly IdentifierEntry[] {
  if (names.length === 0) return entries
  const seen = new Set(names)
  const next: IdentifierEntry[] = []
  for (const entry of entries) {
    if (!seen.delete(entry.name)) {
      next.push(entry)
      continue
    }
    const now = atOrder(entry, order)
    next.push({ ...now, [kind]: now[kind] + share, sightings: entry.sightings + 1 })
  }
  for (const name of seen) {
    const blank = { name, asked: 0, said: 0, acted: 0, shown: 0, sightings: 1, lastOrder: order }
    next.push({ ...blank, [kind]: share })
  }
  // Trimmed with slack: sorting once in a while costs less than at every event.
  if (next.length <= LIMITS.identifiers * 1.25) return next
  const chances = new Map(next.map((entry) => [entry, chanceOfName(entry, order)]))
  return next.toSorted((a, b) => (chances.get(b) ?? 0) - (chances.get(a) ?? 0)).slice(0, LIMITS.identifiers)
}
