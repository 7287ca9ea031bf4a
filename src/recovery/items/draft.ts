import { lineCost } from '../../kernel/text/fence.ts'
import type { Item } from './item.ts'
import type { Passage } from '../passages/passage.ts'
import { SCORING } from '../passages/scoring.ts'
import { renderSection } from './render-items.ts'
import { SECTION_ORDER, type SectionKey } from './section-order.ts'

interface DraftSection {
  readonly items: readonly Item[]
  readonly lines: readonly string[]
  readonly cost: number
}

/** The items chosen so far, measured by rendering their section: what is chosen fits exactly. */
export class Draft {
  readonly #sections = new Map<SectionKey, DraftSection>()
  readonly #labels: Partial<Record<SectionKey, string>> = {}
  readonly #chosen = new Set<Passage>()
  readonly #places = new Set<string>()
  readonly #said = new Set<string>()
  #room: number

  constructor(room: number) {
    this.#room = room
  }

  get room(): number {
    return this.#room
  }

  get items(): readonly Item[] {
    return SECTION_ORDER.flatMap(({ key }) => this.#sections.get(key)?.items ?? [])
  }

  lines(): readonly { readonly key: SectionKey; readonly line: string }[] {
    return SECTION_ORDER.flatMap(({ key }) => {
      const lines = this.#sections.get(key)?.lines ?? []
      return lines.map((line) => ({ key, line }))
    })
  }

  label(section: SectionKey, label: string): void {
    this.#labels[section] = label
  }

  /** Takes room that another part of the text needs. */
  reserve(chars: number): void {
    this.#room -= chars
  }

  /** Adds the item if it fits. */
  add(item: Item): boolean {
    const { section, content } = item
    const before = this.#sections.get(section)
    const items = [...(before?.items ?? []), item]
    const lines = renderSection(section, items, this.#labels[section])
    const cost = lines.reduce((sum, line) => sum + lineCost(line), 0)
    const more = cost - (before?.cost ?? 0)
    if (more > this.#room) return false
    this.#room -= more
    this.#sections.set(section, { items, lines, cost })
    if (content.kind === 'passage') this.#hear(content.passage)
    return true
  }

  #hear(passage: Passage): void {
    this.#chosen.add(passage)
    this.#places.add(`${passage.message}:${passage.position}`)
    for (const word of passage.words) this.#said.add(word)
  }

  has(passage: Passage): boolean {
    return this.#chosen.has(passage)
  }

  /** Share of its words that no chosen passage has. */
  getNovelty({ words }: Passage): number {
    let fresh = 0
    for (const word of words) if (!this.#said.has(word)) fresh += 1
    return SCORING.leastNovelty + ((1 - SCORING.leastNovelty) * fresh) / Math.max(2, words.size)
  }

  isBesideChosen({ message, position }: Passage): boolean {
    return this.#places.has(`${message}:${position - 1}`) || this.#places.has(`${message}:${position + 1}`)
  }

  isRepeated(passage: Passage): boolean {
    for (const other of this.#chosen) if (repeats(passage, other)) return true
    return false
  }
}

/** Whether the passage says little that the other does not; an answer of the user has its question besides. */
export function repeats({ words, about }: Passage, { words: others }: Passage): boolean {
  if (words.size === 0 || about !== undefined) return false
  let shared = 0
  for (const word of words) if (others.has(word)) shared += 1
  return shared >= SCORING.repeated * words.size
}
