import { WEIGHTS } from './weights.ts'

/**
 * How a file came up: it was edited or read, the user or the agent named it, a search or a subagent came up with
 * it, or it stood in some other output.
 */
export type PathSource = 'edited' | 'read' | 'asked' | 'said' | 'found' | 'listed'

/** By source, fading, as of `order`; `total` counts them all and does not fade. */
export interface PathSightings extends Readonly<Record<PathSource, number>> {
  readonly total: number
  readonly order: number
  /** The latest searches that came up with it, each by its order: what came up in one search belongs together. */
  readonly foundAt?: readonly number[]
}

const MAX_FOUND_AT = 6

export interface PathSighting {
  readonly source: PathSource
  readonly order: number
  /** How much it says: one of forty hits says less than one of two. */
  readonly share: number
}

export const UNSEEN: PathSightings = {
  edited: 0,
  read: 0,
  asked: 0,
  said: 0,
  found: 0,
  listed: 0,
  total: 0,
  order: 0,
}

export function sightingsAt(sightings: PathSightings, order: number): PathSightings {
  const share = 0.5 ** (Math.max(0, order - sightings.order) / WEIGHTS.path.halfLife)
  const { edited, read, asked, said, found, listed, total, foundAt } = sightings
  return {
    edited: edited * share,
    read: read * share,
    asked: asked * share,
    said: said * share,
    found: found * share,
    listed: listed * share,
    total,
    order,
    ...(foundAt === undefined ? {} : { foundAt }),
  }
}

function latest(before: readonly number[] = [], more: readonly number[] = []): readonly number[] {
  return [...new Set([...before, ...more])].toSorted((a, b) => a - b).slice(-MAX_FOUND_AT)
}

export function withSighting(before: PathSightings, { source, order, share }: PathSighting): PathSightings {
  const now = sightingsAt(before, order)
  const seen = { ...now, [source]: now[source] + share, total: now.total + 1 }
  return source === 'found' ? { ...seen, foundAt: latest(now.foundAt, [order]) } : seen
}

/** Of one file that went by two names. */
export function together(a: PathSightings, b: PathSightings): PathSightings {
  const order = Math.max(a.order, b.order)
  const [one, other] = [sightingsAt(a, order), sightingsAt(b, order)]
  const foundAt = latest(a.foundAt, b.foundAt)
  return {
    edited: one.edited + other.edited,
    read: one.read + other.read,
    asked: one.asked + other.asked,
    said: one.said + other.said,
    found: one.found + other.found,
    listed: one.listed + other.listed,
    total: one.total + other.total,
    order,
    ...(foundAt.length === 0 ? {} : { foundAt }),
  }
}
