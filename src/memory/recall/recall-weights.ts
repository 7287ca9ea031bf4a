/** Weights of the ranking signals. The lexical score of the best match is 1. */
export interface RecallWeights {
  /** BM25 k1 and b. */
  readonly saturation: number
  readonly lengthPenalty: number
  /** BM25 over the file names. */
  readonly fileNames: number
  /** Similarity in meaning, 1 for the closest item. Equal weight to the words hurts: see docs/recall.md. */
  readonly meaning: number
  /** A query term that an item lacks counts this much of itself if the item has a term of the same meaning. */
  readonly similarTerm: number
  /** The least share of the query that the best match must have to count as a full lexical match. */
  readonly fullMatch: number
  /** Bonus for a file that the query names. */
  readonly namedFiles: number
  /** Share of the score of the items one and two before or after it in the same session. */
  readonly neighbours: readonly number[]
  /** Bonus of the newest item, and the number of newer items after which it halves. */
  readonly recency: number
  readonly recencyHalfLife: number
  /** Overlap with the files of the best items, and how many of those count. */
  readonly sharedFiles: number
  readonly votingItems: number
  /** Per step of importance from 5, and per doubling of hits. */
  readonly importance: number
  readonly hits: number
}

/**
 * Saturation, length, neighbours and meaning were chosen on the five open conversations of LoCoMo, leaving one out at a time
 * (docs/recall.md). `importance`, `hits` and `namedFiles` are judged, not measured. Recency is 0: a question about the past
 * is rarely about the newest memory.
 */
export const MEMORY_WEIGHTS: RecallWeights = {
  saturation: 0.9,
  lengthPenalty: 0.4,
  fileNames: 0,
  meaning: 0.5,
  similarTerm: 0.4,
  fullMatch: 0.4,
  namedFiles: 0.3,
  neighbours: [0.7, 0.4],
  recency: 0,
  recencyHalfLife: 20,
  sharedFiles: 0,
  votingItems: 0,
  importance: 0.04,
  hits: 0.01,
}

/**
 * For checkpoints, decisions and summaries. Chosen on all open checkpoints at once: two projects with 148 questions are too
 * few for folds. Meaning had no measurable effect (.333 to .338), and long texts are the most expensive to embed.
 */
export const WORK_WEIGHTS: RecallWeights = {
  ...MEMORY_WEIGHTS,
  fileNames: 0.7,
  meaning: 0,
  similarTerm: 0,
  fullMatch: 0,
  neighbours: [],
  recency: 0.5,
  sharedFiles: 2,
  votingItems: 10,
}
