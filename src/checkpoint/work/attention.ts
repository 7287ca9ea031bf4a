import { LIMITS, type IdentifierEntry, type SightingKind } from './state.ts'
import { WEIGHTS } from './weights.ts'

/** What a name's chance is told from, by the names of the weights; a feature that is absent is 0. */
export type NameFeatures = Readonly<Record<string, number>>

function fadedBy(age: number): number {
  return 0.5 ** (age / WEIGHTS.name.halfLife)
}

/** The same name, its sightings faded to a later time. */
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

export function ownFeatures(entry: IdentifierEntry, order: number): NameFeatures {
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

export function scoreOf(features: NameFeatures): number {
  const weights: NameFeatures = WEIGHTS.name.weights
  return Object.entries(features).reduce((sum, [feature, value]) => sum + (weights[feature] ?? 0) * value, 0)
}

/** How one name stands to others, whatever the work is about just now: which to keep. */
function standingOf(entry: IdentifierEntry, order: number): number {
  return scoreOf(ownFeatures(entry, order))
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
    next.push({ ...blank, [kind]: share, ...(kind === 'shown' ? { wasFound: true } : {}) })
  }
  // Trimmed with slack: sorting once in a while costs less than at every event.
  if (next.length <= LIMITS.identifiers * 1.25) return next
  const standing = new Map(next.map((entry) => [entry, standingOf(entry, order)]))
  return next.toSorted((a, b) => (standing.get(b) ?? 0) - (standing.get(a) ?? 0)).slice(0, LIMITS.identifiers)
}
