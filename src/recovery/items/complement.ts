import type { Item, SectionKey } from './item.ts'
import { isList } from './section-line.ts'

/** So many of the words in a row that the summary has said it, in its own way or in these words. */
const HELD_SHARE = 0.6
const RUN = 3

/** Never left to somebody else's words: what is false, and what was written to come back. */
const ALWAYS: ReadonlySet<SectionKey> = new Set<SectionKey>(['contradicted', 'written'])

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? []
  return words.map((word) => word.replace(/[./-]+$/, '')).filter((word) => word !== '')
}

function runsOf(words: readonly string[]): readonly string[] {
  return words.slice(0, Math.max(1, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '))
}

/** What the harness's own summary already tells its agent; it stands in the context, right before our words. */
export function heldBy(summary: string): (item: Item) => boolean {
  const words = wordsOf(summary)
  const runs = new Set(runsOf(words))
  const text = ` ${words.join(' ')} `
  const names = (said: string) => text.includes(` ${wordsOf(said).join(' ')} `)
  return (item) => {
    if (ALWAYS.has(item.section)) return false
    // That it is no longer so is news, whoever named it.
    if (item.verdict === 'changed' || item.verdict === 'gone') return false
    const said = wordsOf(item.text)
    if (said.length === 0) return true
    if (isList(item.section) || said.length < RUN) return names(item.text)
    const own = runsOf(said)
    return own.filter((run) => runs.has(run)).length >= own.length * HELD_SHARE
  }
}
