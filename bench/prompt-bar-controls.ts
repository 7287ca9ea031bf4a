import { MemoryId } from '../src/kernel/id.ts'
import type { MemoryHit } from '../src/kernel/memory.ts'
import { judgeForPrompt } from '../src/memory/prompt/prompt-threshold.ts'
import { extractTerms } from '../src/kernel/text/terms.ts'
import type { Replayed } from './prompt-bar-replay.ts'
import { lottery, type Setting, type InjectedMemory } from './prompt-bar-score.ts'

/** Injected memories, altered so that they must not be injected: how often they still are. */
export interface Altered {
  readonly pairs: number
  readonly superseded: number
  readonly contradicted: number
  /** The telling word of the two that fewest memories have is another one now. */
  readonly adjacent: number
}

const MADE_UP = 'zorblax'
const WORD = /[\p{L}\p{N}_]+/gu

function isShown(prompt: string, hits: readonly MemoryHit[], id: string, { rules, ...bar }: Setting): boolean {
  const verdicts = judgeForPrompt(prompt, hits, { ...bar, rules, shown: new Set() })
  return verdicts.some(({ memory, outcome }) => memory.id === id && outcome === 'shown')
}

function rarityOf(all: readonly Replayed[]): ReadonlyMap<string, number> {
  const having = new Map<string, number>()
  for (const { text } of all)
    for (const term of new Set(extractTerms(text))) having.set(term, (having.get(term) ?? 0) + 1)
  return having
}

/** The memory with its rarest word of the prompt made another. */
function withoutRarest(
  content: string,
  prompt: string,
  { having, common }: { readonly having: ReadonlyMap<string, number>; readonly common: ReadonlySet<string> },
): string {
  const asked = new Set(extractTerms(prompt))
  const shared = [...content.matchAll(WORD)]
    .map(([word]) => word)
    .filter((word) => extractTerms(word).some((term) => asked.has(term) && !common.has(term)))
    .map((word) => ({ word, having: Math.min(...extractTerms(word).map((term) => having.get(term) ?? 0)) }))
    .toSorted((a, b) => a.having - b.having)
  const rarest = shared[0]?.word
  return rarest === undefined ? content : content.replaceAll(rarest, MADE_UP)
}

export function alteredOf(all: readonly Replayed[], injected: readonly InjectedMemory[], setting: Setting): Altered {
  const having = rarityOf(all)
  let [superseded, contradicted, adjacent] = [0, 0, 0]
  for (const { asked, id } of injected) {
    const hit = asked.hits.find(({ memory }) => memory.id === id)
    if (hit === undefined) continue
    const { memory } = hit
    const only = (more: Partial<typeof memory>): readonly MemoryHit[] => [{ ...hit, memory: { ...memory, ...more } }]
    const newer = { ...hit, memory: { ...memory, id: MemoryId('newer'), createdAt: '9999-01-01T00:00:00.000Z' } }
    superseded += Number(isShown(asked.text, only({ supersededBy: MemoryId('newer') }), id, setting))
    const opposite = { ...newer, memory: { ...newer.memory, content: `${memory.content} No longer.` } }
    contradicted += Number(isShown(asked.text, [hit, opposite], id, setting))
    const changed = only({
      content: withoutRarest(memory.content, asked.text, { having, common: setting.rules.common }),
    })
    adjacent += Number(isShown(asked.text, changed, id, setting))
  }
  return { pairs: injected.length, superseded, contradicted, adjacent }
}

/** The same memories before the prompts of others of the same project, and the newest ones before the same prompts. */
export function byLot(
  all: readonly Replayed[],
  injected: readonly InjectedMemory[],
): { shuffled: number; newest: number } {
  const random = lottery()
  const projects = [...new Set(all.map(({ project }) => project))]
  const byProject = new Map(projects.map((name) => [name, all.filter(({ project }) => project === name)]))
  let [shuffled, newest, newestShown] = [0, 0, 0]
  for (const { asked, id } of injected) {
    const others = byProject.get(asked.project) ?? []
    shuffled += Number(others[Math.floor(random() * others.length)]?.isRelevant(id) ?? false)
  }
  for (const asked of new Set(injected.map((one) => one.asked))) {
    newestShown += asked.newest.length
    newest += asked.newest.filter((id) => asked.isRelevant(id)).length
  }
  return { shuffled: shuffled / Math.max(1, injected.length), newest: newest / Math.max(1, newestShown) }
}
