import { LIMITS, type IdentifierEntry, type SightingKind, type NameGroup, type WorkState } from './state.ts'
import { WEIGHTS } from './weights.ts'

/** Mentions by the user or the agent. */
const MENTIONED: ReadonlySet<NameGroup['kind']> = new Set(['asked', 'said'] as const)

/** Adds a group of names. A single name that was not mentioned adds nothing. */
export function withNameGroup(scenes: readonly NameGroup[] = [], { names, ...group }: NameGroup): readonly NameGroup[] {
  if (names.length === 0 || (names.length === 1 && !MENTIONED.has(group.kind))) return scenes
  return [...scenes, { ...group, names: names.slice(0, LIMITS.sceneNames) }].slice(-LIMITS.scenes)
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount)
}

/** How recently and how often each name was mentioned, as a distribution. */
function weighMentions(scenes: readonly NameGroup[]): ReadonlyMap<string, number> {
  const mentioned = new Map<string, number>()
  let whole = 0
  const mentions = scenes.filter(({ kind, names }) => MENTIONED.has(kind) && names.length > 0)
  // Relative to the newest mention: the distribution is the same, and no share underflows.
  const newest = mentions.at(-1)?.order ?? 0
  for (const group of mentions) {
    const share = 0.5 ** ((newest - group.order) / WEIGHTS.name.spokenHalfLife)
    for (const name of group.names) add(mentioned, name, share)
    whole += share * group.names.length
  }
  return new Map([...mentioned].map(([name, share]) => [name, share / whole]))
}

/**
 * One step of a random walk from recently mentioned names over the groups they appeared in; returns each name's visit
 * probability.
 */
export function computeCooccurrence({
  scenes: all = [],
  identifiers,
}: Pick<WorkState, 'scenes' | 'identifiers'>): ReadonlyMap<string, number> {
  const known = new Set(identifiers.map(({ name }) => name))
  const scenes = all.map((group) => ({ ...group, names: group.names.filter((name) => known.has(name)) }))
  const ways = new Map<string, number>()
  for (const { names } of scenes) for (const name of names) add(ways, name, (names.length - 1) / names.length)
  const mentioned = weighMentions(scenes)
  const cooccurrence = new Map<string, number>()
  for (const { names } of scenes) {
    const each = names.map((name) => (mentioned.get(name) ?? 0) / Math.max(1e-9, ways.get(name) ?? 0))
    const together = each.reduce((sum, one) => sum + one, 0)
    if (names.length < 2 || together === 0) continue
    for (const [at, name] of names.entries()) add(cooccurrence, name, (together - (each[at] ?? 0)) / names.length)
  }
  return cooccurrence
}

/** Features of a name, by the names of the weights; an absent feature is 0. */
export type NameFeatures = Readonly<Record<string, number>>

function fadedBy(age: number): number {
  return 0.5 ** (age / WEIGHTS.name.halfLife)
}

/** The entry with its sightings decayed to a later order. */
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

export function scoreFeatures(features: NameFeatures): number {
  const weights: NameFeatures = WEIGHTS.name.weights
  return Object.entries(features).reduce((sum, [feature, value]) => sum + (weights[feature] ?? 0) * value, 0)
}

/** The score without the current topic, for choosing which names to keep. */
function scoreEntry(entry: IdentifierEntry, order: number): number {
  return scoreFeatures(ownFeatures(entry, order))
}

/** A new request: names of earlier requests no longer count as requested. */
export function withoutAsked(entries: readonly IdentifierEntry[]): readonly IdentifierEntry[] {
  return entries.map((entry) => (entry.asked === 0 ? entry : { ...entry, asked: 0 }))
}

/** Adds one sighting of each name; drops the lowest scores beyond the limit. */
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
  const standing = new Map(next.map((entry) => [entry, scoreEntry(entry, order)]))
  return next.toSorted((a, b) => (standing.get(b) ?? 0) - (standing.get(a) ?? 0)).slice(0, LIMITS.identifiers)
}
