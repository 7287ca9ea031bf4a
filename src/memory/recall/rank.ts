import { type Embeddings, NO_EMBEDDINGS, measureSimilarity } from './embeddings.ts'
import { type RecallWeights, WORK_WEIGHTS } from './recall-weights.ts'
import { extractTerms } from '../../kernel/text/terms.ts'

/** A checkpoint, decision or summary, with what it is searched by. */
export interface SearchableWork {
  readonly terms: readonly string[]
  readonly files: readonly string[]
}

/** Best match first; what is only recent is left out. */
export function rankWork<Item extends SearchableWork>(
  question: RecallQuestion,
  newestFirst: readonly Item[],
): readonly RankedItem<Item>[] {
  const items = newestFirst.map((work) => ({
    work,
    terms: work.terms,
    fileTerms: extractTerms(work.files.join(' ')),
    files: work.files,
  }))
  return rankItems(question, items, { weights: WORK_WEIGHTS })
    .filter(({ isRelated }) => isRelated)
    .map(({ item, ...ranked }) => ({ ...ranked, item: item.work }))
}

interface LexicalScore {
  readonly score: number
  /** How many of the query terms the text has. */
  readonly found: number
  /** The same by rarity, 0 to 1; a related term counts its weight. */
  readonly share: number
}

/** Term frequencies over the whole store. */
export interface Corpus {
  readonly size: number
  readonly having: ReadonlyMap<string, number>
}

interface Constants {
  readonly saturation: number
  readonly lengthPenalty: number
}

function countTerms(asked: ReadonlyMap<string, number>, terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) if (asked.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

function buildCorpus(counts: readonly ReadonlyMap<string, number>[]): Corpus {
  const having = new Map<string, number>()
  for (const count of counts) for (const term of count.keys()) having.set(term, (having.get(term) ?? 0) + 1)
  return { size: counts.length, having }
}

interface LexicalScores {
  readonly scores: readonly LexicalScore[]
  /** The weight of each query term by its rarity. */
  readonly values: ReadonlyMap<string, number>
  /** The weights of all terms of the query itself. */
  readonly total: number
}

/** `asked` maps each query term to its weight. Without a corpus, rarity is measured over `texts`. */
function bm25(
  asked: ReadonlyMap<string, number>,
  texts: readonly (readonly string[])[],
  { saturation, lengthPenalty, corpus }: Constants & { readonly corpus?: Corpus },
): LexicalScores {
  const counts = texts.map((terms) => countTerms(asked, terms))
  const averageLength = Math.max(1, texts.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, texts.length))
  const { size, having } = corpus ?? buildCorpus(counts)
  const value = new Map(
    [...asked].map(([term, weight]) => {
      const many = Math.min(having.get(term) ?? 0, size)
      return [term, weight * Math.log(1 + (size - many + 0.5) / (many + 0.5))]
    }),
  )
  const total = [...asked].reduce((sum, [term, weight]) => sum + (weight === 1 ? (value.get(term) ?? 0) : 0), 0)
  const scores = counts.map((count, index) => {
    const length = 1 - lengthPenalty + (lengthPenalty * (texts[index]?.length ?? 0)) / averageLength
    let score = 0
    let found = 0
    let share = 0
    for (const [term, times] of count) {
      score += ((value.get(term) ?? 0) * times * (saturation + 1)) / (times + saturation * length)
      share += value.get(term) ?? 0
      if (asked.get(term) === 1) found++
    }
    return { score, found, share: total === 0 ? 0 : Math.min(1, share / total) }
  })
  return { scores, values: value, total }
}

interface WithFiles {
  readonly files?: readonly string[]
}

/** Overlap of each item's files with those of the best items, 0 to 1. Items with many files count less. */
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
  /** From `extractTerms`. */
  readonly terms: readonly string[]
  /** The same for the names of its files. */
  readonly fileTerms?: readonly string[]
  readonly files?: readonly string[]
  /** Items of one session with consecutive `place` were said one after the other. */
  readonly session?: string
  readonly place?: number
  /** 1 to 10; 5 is neutral. */
  readonly importance?: number
  readonly hits?: number
  /** Ranked after every current item. */
  readonly isSuperseded?: boolean
}

export interface RecallQuestion {
  readonly terms: readonly string[]
  /** Similar terms that the query does not have, with their weight below 1. */
  readonly related?: ReadonlyMap<string, number>
  /** The files that it names, by path. */
  readonly files?: readonly string[]
  /** Default: the ranked items. */
  readonly corpus?: Corpus
}

export interface RankedItem<Item> {
  readonly item: Item
  /** Comparable within one answer only. */
  readonly score: number
  /** Share of the query terms that the item has, 0 to 1. */
  readonly coverage: number
  /** Similarity in meaning, 0 to 1; 0 when unknown. */
  readonly similarity: number
  /** Comparable between answers, 0 to 1: the share of the query that it has, by rarity, or its similarity. */
  readonly relevance: number
  /** It has a query term, or is next to such an item, or shares a file with one, or is close enough in meaning. */
  readonly isRelated: boolean
}

/** The best becomes 1, unless it is below `full`. */
function normalizeScores(scores: readonly number[], full = 0): readonly number[] {
  const best = scores.reduce((max, score) => Math.max(max, score), full)
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

/** More distinct terms of one text are not compared one by one. */
const MAX_COMPARED = 96
/** Words that are less similar than this have different meanings. */
const MIN_TERM_SIMILARITY = 0.3
/** Sentences that are less similar than this have nothing to do with each other. */
const MIN_MEANING = 0.28
/** At this similarity and below, a match by meaning alone says nothing yet. */
const NO_RELEVANCE = 0.33
/** What matches by meaning alone needs this share of the best score, because it is a guess. */
const MIN_MEANT_SHARE = 0.4

interface MeaningScore {
  /** Of the sentences. */
  readonly similarity: number
  /** The same together with the share of the query terms that have a similar one in the text. */
  readonly closeness: number
  /** Sum of the values of the query terms that the text lacks, each by how similar the most similar term of the text is. */
  readonly similarTerms: number
}

const NO_MEANING: MeaningScore = { similarity: 0, closeness: 0, similarTerms: 0 }

function measureMeaning(
  terms: readonly string[],
  items: readonly RecallItem[],
  { values, total, embeddings }: Omit<LexicalScores, 'scores'> & { readonly embeddings: Embeddings },
): readonly MeaningScore[] {
  const asked = embeddings.embed(terms)
  if (asked === undefined) return items.map(() => NO_MEANING)
  const compare = embeddings.compareWith(terms)
  const weights = terms.map((term) => values.get(term) ?? 0)
  return items.map((item) => {
    const said = embeddings.embed(item.terms)
    if (said === undefined) return NO_MEANING
    const own = new Set(item.terms)
    const closest = Float32Array.from(terms, (term) => (own.has(term) ? 1 : 0))
    let left = MAX_COMPARED
    for (const term of own) {
      if (left-- === 0) break
      const similar = compare(term)
      for (let index = 0; index < closest.length; index++) {
        if ((similar[index] ?? 0) > (closest[index] ?? 0)) closest[index] = similar[index] ?? 0
      }
    }
    const similarity = measureSimilarity(asked, said)
    let share = 0
    let similarTerms = 0
    for (const [index, weight] of weights.entries()) {
      const near = closest[index] ?? 0
      share += weight * near
      if (near < 1) similarTerms += (weight * Math.max(0, near - MIN_TERM_SIMILARITY)) / (1 - MIN_TERM_SIMILARITY)
    }
    return { similarity, closeness: total === 0 ? similarity : (similarity + share / total) / 2, similarTerms }
  })
}

function namesFile(files: readonly string[], item: RecallItem): boolean {
  return (item.files ?? []).some((path) =>
    files.some((asked) => path === asked || path.endsWith(`/${asked}`) || asked.endsWith(`/${path}`)),
  )
}

/**
 * Best first; `items` must be newest first, and equals keep that order. Databases only find candidates, so that the order
 * does not depend on which one is used.
 */
export function rankItems<Item extends RecallItem>(
  { terms, related = new Map(), files = [], corpus }: RecallQuestion,
  items: readonly Item[],
  { weights, embeddings = NO_EMBEDDINGS }: { readonly weights: RecallWeights; readonly embeddings?: Embeddings },
): readonly RankedItem<Item>[] {
  const asked = new Map([...related, ...terms.map((term) => [term, 1] as const)])
  const texts = items.map((item) => item.terms)
  const { scores: said, ...query } = bm25(asked, texts, { ...weights, corpus })
  const meant = weights.meaning > 0 ? measureMeaning(terms, items, { ...query, embeddings }) : []
  const full = weights.fullMatch * query.total
  const exact = normalizeScores(said.map(({ score }) => score))
  let lexical = normalizeScores(
    said.map(({ score }, index) => score + weights.similarTerm * (meant[index]?.similarTerms ?? 0)),
    full,
  )
  if (weights.fileNames > 0) {
    const fileTexts = items.map(({ fileTerms }) => fileTerms ?? [])
    const named = normalizeScores(bm25(asked, fileTexts, weights).scores.map(({ score }) => score))
    lexical = normalizeScores(lexical.map((score, index) => score + weights.fileNames * (named[index] ?? 0)))
  }
  const closest = meant.reduce((max, { closeness }) => Math.max(max, closeness), 0)
  const fused = lexical.map((score, index) => {
    return score + (closest === 0 ? 0 : (weights.meaning * (meant[index]?.closeness ?? 0)) / closest)
  })
  const around = neighbourScores(items, fused, weights.neighbours)
  const base = fused.map((score, index) => {
    const named = files.length > 0 && namesFile(files, items[index] ?? { terms: [] }) ? weights.namedFiles : 0
    return score + named + (around[index] ?? 0) + weights.recency * 0.5 ** (index / weights.recencyHalfLife)
  })
  const shared = weights.sharedFiles > 0 ? sharedFileScores(items, base, weights.votingItems) : []
  const worded = weights.fileNames > 0 ? lexical : exact
  const foundFiles = new Set(items.flatMap((item, index) => ((worded[index] ?? 0) > 0 ? (item.files ?? []) : [])))
  const nearFound = neighbourScores(items, worded, weights.neighbours)
  const best = fused.reduce((max, score) => Math.max(max, score), 0)
  return items
    .map((item, index) => {
      const nudge =
        (1 + ((item.importance ?? 5) - 5) * weights.importance) * (1 + weights.hits * Math.log2(1 + (item.hits ?? 0)))
      return {
        item,
        score: ((base[index] ?? 0) + weights.sharedFiles * (shared[index] ?? 0)) * nudge,
        coverage: terms.length === 0 ? 0 : (said[index]?.found ?? 0) / terms.length,
        similarity: meant[index]?.similarity ?? 0,
        relevance: Math.max(
          said[index]?.share ?? 0,
          ((meant[index]?.similarity ?? 0) - NO_RELEVANCE) / (1 - NO_RELEVANCE),
        ),
        isRelated:
          (worded[index] ?? 0) > 0 ||
          (nearFound[index] ?? 0) > 0 ||
          ((meant[index]?.similarity ?? 0) >= MIN_MEANING && (fused[index] ?? 0) >= MIN_MEANT_SHARE * best) ||
          (item.files ?? []).some((file) => foundFiles.has(file)),
      }
    })
    .toSorted(
      (a, b) => Number(a.item.isSuperseded ?? false) - Number(b.item.isSuperseded ?? false) || b.score - a.score,
    )
}
