import { termsOf } from '../../kernel/text/terms.ts'
import { rankItems, type RankedItem, type RecallQuestion } from './rank.ts'
import { WORKED } from './recall-weights.ts'

/** A stretch of work with what it can be found by. */
export interface WorkedItem {
  readonly terms: readonly string[]
  readonly files: readonly string[]
}

/** The stretches of work that a question is likeliest to be about, best first. They come in newest first; what is merely recent is left out. */
export function rankWork<Item extends WorkedItem>(
  question: RecallQuestion,
  newestFirst: readonly Item[],
): readonly RankedItem<Item>[] {
  const items = newestFirst.map((work) => ({
    work,
    terms: work.terms,
    fileTerms: termsOf(work.files.join(' ')),
    files: work.files,
  }))
  return rankItems(question, items, { weights: WORKED })
    .filter(({ isRelated }) => isRelated)
    .map(({ item, ...ranked }) => ({ ...ranked, item: item.work }))
}
