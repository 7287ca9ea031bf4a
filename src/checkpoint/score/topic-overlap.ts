import { partsOf } from '../../kernel/text/terms.ts'
import type { WorkState } from '../work/state.ts'
import { saysWhatFor } from '../../kernel/text/text.ts'

const LAST_STATEMENTS = 3

type Spoken = Pick<WorkState, 'asks' | 'statements' | 'todos'>

/** What the work is about just now, in the words of those who do it. */
function textsOf({ asks, statements, todos }: Spoken): readonly string[] {
  const wanted = asks.findLast(({ text }) => saysWhatFor(text))
  const latest = asks.at(-1)
  return [
    ...(wanted === undefined ? [] : [wanted.text]),
    ...(latest === undefined ? [] : [latest.text]),
    ...statements.slice(-LAST_STATEMENTS).map(({ text }) => text),
    ...todos.filter(({ status }) => status !== 'completed').map(({ text }) => text),
  ]
}

/** How much of each name is made of words that the matter at hand is told in; words that few names have count more. */
export function sharesOfMatter(state: Spoken, names: readonly string[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  for (const text of textsOf(state)) for (const word of partsOf(text)) told.set(word, (told.get(word) ?? 0) + 1)
  const own = names.map((name) => ({ name, words: [...partsOf(name)] }))
  const having = new Map<string, number>()
  for (const { words } of own) for (const word of words) having.set(word, (having.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log2((names.length + 1) / (having.get(word) ?? 1))
  return new Map(
    own.map(({ name, words }) => {
      const whole = words.reduce((sum, word) => sum + rarity(word), 0)
      const shared = words.reduce((sum, word) => sum + rarity(word) * Math.log2(1 + (told.get(word) ?? 0)), 0)
      return [name, whole === 0 ? 0 : shared / whole]
    }),
  )
}
