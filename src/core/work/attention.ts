import { WEIGHTS } from '../recovery/weights.ts'
import type { IdentifierEntry } from './state.ts'
import { LIMITS } from './state.ts'

function faded(value: number, age: number, halfLife: number): number {
  return value * 0.5 ** (age / halfLife)
}

function atOrder(entry: IdentifierEntry, order: number): IdentifierEntry {
  const age = order - entry.lastOrder
  const { recent, lasting } = WEIGHTS.identifierHalfLife
  return {
    name: entry.name,
    recent: faded(entry.recent, age, recent),
    lasting: faded(entry.lasting, age, lasting),
    lastOrder: order,
  }
}

/** How much a name matters at a point of the session. */
export function weightAt(entry: IdentifierEntry, order: number): number {
  const now = atOrder(entry, order)
  return now.recent * WEIGHTS.identifierMix.recent + now.lasting * WEIGHTS.identifierMix.lasting
}

/** The names after one more sighting of some of them; the faintest go when there are too many. */
export function withSightings(
  entries: readonly IdentifierEntry[],
  names: readonly string[],
  { order, weight }: { order: number; weight: number },
): readonly IdentifierEntry[] {
  if (names.length === 0) return entries
  const sighted = new Set(names)
  const next: IdentifierEntry[] = []
  for (const entry of entries) {
    if (!sighted.delete(entry.name)) {
      next.push(entry)
      continue
    }
    const now = atOrder(entry, order)
    next.push({ ...now, recent: now.recent + weight, lasting: now.lasting + weight })
  }
  for (const name of sighted) next.push({ name, recent: weight, lasting: weight, lastOrder: order })
  // Trimmed with slack: sorting once in a while costs less than at every event.
  if (next.length <= LIMITS.identifiers * 1.25) return next
  return next.toSorted((a, b) => weightAt(b, order) - weightAt(a, order)).slice(0, LIMITS.identifiers)
}
