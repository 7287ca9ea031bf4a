import { WEIGHTS } from '../recovery/weights.ts'
import type { NameSeen } from './identifiers.ts'
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
  names: readonly NameSeen[],
  { order, weight }: { order: number; weight: number },
): readonly IdentifierEntry[] {
  if (names.length === 0) return entries
  const worth = new Map(
    names.map(({ name, isMember }) => [name, weight * (isMember ? WEIGHTS.identifierSighting.memberShare : 1)]),
  )
  const next: IdentifierEntry[] = []
  for (const entry of entries) {
    const added = worth.get(entry.name)
    if (added === undefined) {
      next.push(entry)
      continue
    }
    worth.delete(entry.name)
    const now = atOrder(entry, order)
    next.push({ ...now, recent: now.recent + added, lasting: now.lasting + added })
  }
  for (const [name, added] of worth) next.push({ name, recent: added, lasting: added, lastOrder: order })
  // Trimmed with slack: sorting once in a while costs less than at every event.
  if (next.length <= LIMITS.identifiers * 1.25) return next
  return next.toSorted((a, b) => weightAt(b, order) - weightAt(a, order)).slice(0, LIMITS.identifiers)
}
