import { atOrder, standingOf } from '../score/name-score.ts'
import { LIMITS, type IdentifierEntry, type SightingKind } from './state.ts'

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
