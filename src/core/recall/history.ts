import { queryTermsOf, termsOf } from '../terms.ts'
import { rankItems, type RankedItem } from './rank.ts'
import { WORKED } from './weights.ts'

/** A stretch of work as it can be searched: a session's checkpoint or summary. */
export interface WorkedItem {
  readonly id: string
  readonly text: string
  readonly files: readonly string[]
}

/** The stretches of work that a question is likeliest to be about, best first. They come in newest first. */
export function rankWork<Item extends WorkedItem>(
  question: string,
  newestFirst: readonly Item[],
): readonly RankedItem<Item>[] {
  const terms = queryTermsOf(question)
  const items = newestFirst.map((work) => ({
    work,
    terms: termsOf(work.text),
    fileTerms: termsOf(work.files.join(' ')),
    files: work.files,
  }))
  return rankItems(terms, items, WORKED).map(({ item, score, coverage }) => ({ item: item.work, score, coverage }))
}
