import type { Item } from './items/item.ts'

/** Share of an item's word runs that the summary must have to include the item. */
const HELD_SHARE = 0.6
const RUN = 3

function splitWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? []
  return words.map((word) => word.replace(/[./-]+$/, '')).filter((word) => word !== '')
}

function toWordRuns(words: readonly string[]): readonly string[] {
  return words.slice(0, Math.max(1, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '))
}

/** Whether the harness's own summary, which is in the same context, already says the text. */
export function createIsInSummary(
  summary: string,
): (text: string, item?: Pick<Item, 'section' | 'verdict'>) => boolean {
  const words = splitWords(summary)
  const runs = new Set(toWordRuns(words))
  const joined = ` ${words.join(' ')} `
  return (text, item) => {
    if (item?.section === 'contradicted') return false
    // A changed or missing thing is news even if the summary names it.
    if (item?.verdict === 'changed' || item?.verdict === 'gone') return false
    const said = splitWords(text)
    if (said.length === 0) return true
    if (said.length < RUN) return joined.includes(` ${said.join(' ')} `)
    const own = toWordRuns(said)
    return own.filter((run) => runs.has(run)).length >= own.length * HELD_SHARE
  }
}
