import { bm25, type Corpus } from './bm25.ts'
import { type Embeddings, NO_EMBEDDINGS, similarityOf } from './embeddings.ts'
import type { RecallWeights } from './recall-weights.ts'

interface WithFiles {
  readonly files?: readonly string[]
}

/** How much each item's files agree with those of the best ones, 1 for the most. A sweeping change is not relevant to everything it touched. */
function sharedFileScores(items: readonly WithFiles[], scores: readonly number[], voters: number): readonly number[] {
  const spread = (item: WithFiles) => Math.sqrt(Math.max(1, item.files?.length ?? 0))
  const best = [...items.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, voters)
  const votes = new Map<string, number>()
  for (const index of best) {
    const item = items[index]
    for (const file of item?.files ?? []) {
      votes.set(file, (votes.get(file) ?? 0) + (scores[index] ?? 0) / (item === undefined ? 1 : spread(item)))
    }
  }
  const agreed = items.map(
    (item) => (item.files ?? []).reduce((sum, file) => sum + (votes.get(file) ?? 0), 0) / spread(item),
  )
  const most = agreed.reduce((max, score) => Math.max(max, score), 0)
  return most === 0 ? agreed : agreed.map((score) => score / most)
}

export interface RecallItem {
  /** What it can be found by, from `termsOf`. */
  readonly terms: readonly string[]
  /** The same for the names of its files. */
  readonly fileTerms?: readonly string[]
  /** The files that it is about, by path. */
  readonly files?: readonly string[]
  /** Items of one session whose places are next to each other were said one after the other. */
  readonly session?: string
  readonly place?: number
  /** 1 to 10; 5 leaves the score as it is. */
  readonly importance?: number
  readonly hits?: number
  /** Never before one that is current, whatever it says. */
  readonly isSuperseded?: boolean
}

export interface RecallQuestion {
  readonly terms: readonly string[]
  /** Terms that nobody asked for, but that are used like those that were: how much each counts, below 1. */
  readonly related?: ReadonlyMap<string, number>
  /** The files that it names, by path. */
  readonly files?: readonly string[]
  /** How common terms are among all items; among those that are ranked unless given. */
  readonly corpus?: Corpus
}

export interface RankedItem<Item> {
  readonly item: Item
  /** Comparable within one answer only. */
  readonly score: number
  /** Share of the asked terms that the item has itself, 0 to 1. */
  readonly coverage: number
  /** Closeness in meaning, 0 to 1; 0 where nobody can tell. */
  readonly similarity: number
  /** Whether it has an asked term, a file in common with an item that has one, or stood next to one. */
  readonly isRelated: boolean
}

function asShares(scores: readonly number[]): readonly number[] {
  const best = scores.reduce((max, score) => Math.max(max, score), 0)
  return best === 0 ? scores : scores.map((score) => score / best)
}

function neighbourScores(
  items: readonly RecallItem[],
  scores: readonly number[],
  shares: readonly number[],
): readonly number[] {
  const key = (session: string, place: number) => `${place} ${session}`
  const byPlace = new Map<string, number>()
  for (const [index, { session, place }] of items.entries()) {
    if (session !== undefined && place !== undefined) byPlace.set(key(session, place), scores[index] ?? 0)
  }
  return items.map(({ session, place }) => {
    if (session === undefined || place === undefined) return 0
    const at = (where: number) => byPlace.get(key(session, where)) ?? 0
    return shares.reduce((sum, share, index) => {
      return sum + share * Math.max(at(place - index - 1), at(place + index + 1))
    }, 0)
  })
}

function similarities(terms: readonly string[], items: readonly RecallItem[], embeddings: Embeddings) {
  const asked = embeddings.embed(terms)
  if (asked === undefined) return items.map(() => 0)
  return items.map((item) => {
    const said = embeddings.embed(item.terms)
    return said === undefined ? 0 : similarityOf(asked, said)
  })
}

function names(files: readonly string[], item: RecallItem): boolean {
  return (item.files ?? []).some((path) =>
    files.some((asked) => path === asked || path.endsWith(`/${asked}`) || asked.endsWith(`/${path}`)),
  )
}

/**
 * Best first. Items come in newest first, and equals keep that order. Databases only find candidates: they rank
 * differently, and the order that a reader sees must not depend on which of them keeps the items.
 */
export function rankItems<Item extends RecallItem>(
  { terms, related = new Map(), files = [], corpus }: RecallQuestion,
  items: readonly Item[],
  { weights, embeddings = NO_EMBEDDINGS }: { readonly weights: RecallWeights; readonly embeddings?: Embeddings },
): readonly RankedItem<Item>[] {
  const asked = new Map([...related, ...terms.map((term) => [term, 1] as const)])
  const texts = items.map((item) => item.terms)
  const said = bm25(asked, texts, { ...weights, corpus })
  let lexical = asShares(said.map(({ score }) => score))
  if (weights.fileNames > 0) {
    const fileTexts = items.map(({ fileTerms }) => fileTerms ?? [])
    const named = asShares(bm25(asked, fileTexts, weights).map(({ score }) => score))
    lexical = asShares(lexical.map((score, index) => score + weights.fileNames * (named[index] ?? 0)))
  }
  const meant = weights.meaning > 0 ? similarities(terms, items, embeddings) : []
  const closest = meant.reduce((max, value) => Math.max(max, value), 0)
  const fused = lexical.map((score, index) => {
    return score + (closest === 0 ? 0 : (weights.meaning * (meant[index] ?? 0)) / closest)
  })
  const around = neighbourScores(items, fused, weights.neighbours)
  const base = fused.map((score, index) => {
    const named = files.length > 0 && names(files, items[index] ?? { terms: [] }) ? weights.namedFiles : 0
    return score + named + (around[index] ?? 0) + weights.recency * 0.5 ** (index / weights.recencyHalfLife)
  })
  const shared = weights.sharedFiles > 0 ? sharedFileScores(items, base, weights.votingItems) : []
  const foundFiles = new Set(items.flatMap((item, index) => ((lexical[index] ?? 0) > 0 ? (item.files ?? []) : [])))
  const besideFound = neighbourScores(items, lexical, weights.neighbours)
  return items
    .map((item, index) => {
      const nudge =
        (1 + ((item.importance ?? 5) - 5) * weights.importance) * (1 + weights.hits * Math.log2(1 + (item.hits ?? 0)))
      return {
        item,
        score: ((base[index] ?? 0) + weights.sharedFiles * (shared[index] ?? 0)) * nudge,
        coverage: terms.length === 0 ? 0 : (said[index]?.found ?? 0) / terms.length,
        similarity: meant[index] ?? 0,
        isRelated:
          (lexical[index] ?? 0) > 0 ||
          (besideFound[index] ?? 0) > 0 ||
          (item.files ?? []).some((file) => foundFiles.has(file)),
      }
    })
    .toSorted(
      (a, b) => Number(a.item.isSuperseded ?? false) - Number(b.item.isSuperseded ?? false) || b.score - a.score,
    )
}
