import { pattern } from '../text/patterns.ts'
import type { Span } from '../text/span.ts'

const FEWEST_WORDS = 12
/** Words that every wallet's list leaves out and every sentence needs. */
const proseWords = new Set('the and for are was not its from which into has can then when does'.split(' '))

/** The words a wallet is restored from, behind a name that says so: 12 to 24 of three to eight letters, in threes. */
export function findPhrases(text: string): Span[] {
  const spans: Span[] = []
  const { phraseName, phrase } = pattern
  phraseName.lastIndex = 0
  while (phraseName.test(text)) {
    const start = phraseName.lastIndex
    phrase.lastIndex = start
    const words = phrase.exec(text)?.[0].split(pattern.spaced) ?? []
    if (words.length < FEWEST_WORDS || words.length % 3 !== 0 || words.some((word) => proseWords.has(word))) continue
    spans.push({ start, end: phrase.lastIndex, kind: 'seed-phrase' })
  }
  return spans
}
