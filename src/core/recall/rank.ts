import { bm25 } from './bm25.ts'
import type { RecallWeights } from './weights.ts'

export interface RecallItem {
  /** What it can be found by, from `termsOf`. */
  readonly terms: readonly string[]
  /** The same for the names of its files. */
  readonly fileTerms?: readonly string[]
  readonly files?: readonly string[]
  /** Items of one session whose places are next to each other were said one after the other. */
  readonly session?: string
  readonly place?: number
  /** 1 to 10; 5 leaves the score as it is. */
  readonly importance?: number
  readonly hits?: number
}

export interface RankedItem<Item> {
  readonly item: Item
  /** Comparable within one answer only. */
  readonly score: number
  /** Share of the asked terms that the item has itself, 0 to 1. */
  readonly coverage: number
}

function asShares(scores: readonly number[]): readonly number[] {
  const best = scores.reduce((max, score) => Math.max(max, score), 0)
  return best === 0 ? scores : scores.map((score) => score / best)
}

function neighbourScores(
  items: readonly RecallItem[],
  lexical: readonly number[],
  shares: readonly number[],
): readonly number[] {
  const key = (session: string, place: number) => `${place} ${session}`
  const byPlace = new Map<string, number>()
  for (const [index, { session, place }] of items.entries()) {
    if (session !== undefined && place !== undefined) byPlace.set(key(session, place), lexical[index] ?? 0)
  }
  return items.map(({ session, place }) => {
    if (session === undefined || place === undefined) return 0
    const at = (where: number) => byPlace.get(key(session, where)) ?? 0
    return shares.reduce((sum, share, index) => {
      return sum + share * Math.max(at(place - index - 1), at(place + index + 1))
    }, 0)
  })
}

/** How much each item's files agree with those of the best ones. A sweeping change is not relevant to everything it touched. */
function sharedFileScores(items: readonly RecallItem[], scores: readonly number[], voters: number): readonly number[] {
  const spread = (item: RecallItem) => Math.sqrt(Math.max(1, item.files?.length ?? 0))
  const best = [...items.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, voters)
  const votes = new Map<string, number>()
  for (const index of best) {
    const item = items[index]
    for (const file of item?.files ?? []) {
      votes.set(file, (votes.get(file) ?? 0) + (scores[index] ?? 0) / (item === undefined ? 1 : spread(item)))
    }
  }
  return asShares(
    items.map((item) => (item.files ?? []).reduce((sum, file) => sum + (votes.get(file) ?? 0), 0) / spread(item)),
  )
}

/**
 * Best first. Items come in newest first, and equals keep that order. Databases only find candidates: they rank
 * differently, and the order that a reader sees must not depend on which of them keeps the items.
 */
export function rankItems<Item extends RecallItem>(
  queryTerms: readonly string[],
  items: readonly Item[],
  weights: RecallWeights,
): readonly RankedItem<Item>[] {
  const said = bm25(
    queryTerms,
    items.map(({ terms }) => terms),
    weights,
  )
  let lexical = asShares(said.map(({ score }) => score))
  if (weights.fileNames > 0) {
    const named = asShares(
      bm25(
        queryTerms,
        items.map(({ fileTerms }) => fileTerms ?? []),
        weights,
      ).map(({ score }) => score),
    )
    lexical = asShares(lexical.map((score, index) => score + weights.fileNames * (named[index] ?? 0)))
  }
  const around = neighbourScores(items, lexical, weights.neighbours)
  const base = lexical.map((score, index) => {
    return score + (around[index] ?? 0) + weights.recency * 0.5 ** (index / weights.recencyHalfLife)
  })
  const shared = weights.sharedFiles > 0 ? sharedFileScores(items, base, weights.votingItems) : []
  return items
    .map((item, index) => {
      const nudge =
        (1 + ((item.importance ?? 5) - 5) * weights.importance) * (1 + weights.hits * Math.log2(1 + (item.hits ?? 0)))
      return {
        item,
        score: ((base[index] ?? 0) + weights.sharedFiles * (shared[index] ?? 0)) * nudge,
        coverage: queryTerms.length === 0 ? 0 : (said[index]?.found ?? 0) / queryTerms.length,
      }
    })
    .toSorted((a, b) => b.score - a.score)
}
