import { type Draft, repeats } from './draft.ts'
import type { Item } from './item.ts'
import type { Passage } from '../passages/passage.ts'
import { SCORING } from '../passages/scoring.ts'
import type { SectionKey } from './section-order.ts'

const MIN_CHARS = 25
const LEAST_ROOM = 30

/** What a sentence is worth per character, before what else is chosen counts. */
function getDensity({ score, text }: Passage): number {
  return score / Math.max(MIN_CHARS, text.length) ** SCORING.length
}

export function toItem(passage: Passage, section: SectionKey, reason: string): Item {
  return { section, content: { kind: 'passage', passage }, origin: 'dialogue', reason, score: passage.score }
}

const MAX_REFERRED = 2

/** A sentence after those that it refers to. */
function withReferred(passage: Passage, draft: Draft): readonly Passage[] {
  const together = [passage]
  let before = passage.needs
  while (before !== undefined && !draft.has(before) && together.length <= MAX_REFERRED) {
    together.unshift(before)
    before = before.needs
  }
  return together
}

/** A list of the agent that is this short stays whole. */
const LIST_CHARS = 240

function toListKey({ message, paragraph, heading, form, position }: Passage): string {
  return form === 'item' ? `${message}:${paragraph}:${heading}` : `${message}/${position}`
}

/** Adds the best sentences to the draft until `room` characters are used. */
export function fill(
  draft: Draft,
  pool: readonly Passage[],
  room: number,
  sectionOf: (passage: Passage) => SectionKey,
): void {
  const start = draft.room
  const lists = new Map<string, Passage[]>()
  for (const passage of pool) {
    if (passage.form !== 'item') continue
    const key = toListKey(passage)
    lists.set(key, [...(lists.get(key) ?? []), passage])
  }
  const densities = new Map(pool.map((passage) => [passage, getDensity(passage)]))
  let left = pool
    .filter(
      (passage) =>
        !(passage.speaker === 'agent' && passage.text.endsWith(':')) &&
        !draft.has(passage) &&
        !draft.isRepeated(passage),
    )
    .toSorted((a, b) => (densities.get(b) ?? 0) - (densities.get(a) ?? 0))
  while (left.length > 0) {
    const most = Math.min(draft.room, room - (start - draft.room))
    if (most < LEAST_ROOM) return
    let best: Passage | undefined
    let highest = 0
    for (const passage of left) {
      const density = densities.get(passage) ?? 0
      if (density * SCORING.neighbour <= highest) break
      if (passage.text.length > most) continue
      const value = density * draft.getNovelty(passage) * (draft.isBesideChosen(passage) ? SCORING.neighbour : 1)
      if (value > highest) [best, highest] = [passage, value]
    }
    if (best === undefined) return
    const list = best.speaker === 'agent' ? (lists.get(toListKey(best)) ?? [best]) : [best]
    const missing = list.filter((passage) => !draft.has(passage))
    const size = missing.reduce((sum, { text }) => sum + text.length + 2, 0)
    const together = missing.length > 1 && size <= Math.min(most, LIST_CHARS) ? missing : withReferred(best, draft)
    const isFitting = together.reduce((sum, { text }) => sum + text.length + 2, 0) <= most
    if (isFitting)
      for (const passage of together)
        draft.add(toItem(passage, sectionOf(passage), 'among the sentences that say most'))
    // The best one is settled even if it did not fit after all: each round ends with fewer.
    const settled = isFitting ? [best, ...together] : [best]
    left = left.filter(
      (passage) => !settled.includes(passage) && !(isFitting && settled.some((one) => repeats(passage, one))),
    )
  }
}

interface Choice {
  readonly room: number
  /** The first sentence leads. */
  readonly isLed?: boolean
  readonly boost?: (passage: Passage) => number
}

function getCost({ text, heading, form }: Passage, chosen: readonly Passage[]): number {
  const isHeaded = form !== 'prose' && heading !== '' && !chosen.some((one) => one.heading === heading)
  return text.length + 2 + (isHeaded ? heading.length + 2 : 0)
}

/** A second half, a case of a condition and a user's "in this situation" mean something else without what comes before. */
function listNeeded({ needs, isContinued, under, speaker }: Passage, from: readonly Passage[]): readonly Passage[] {
  if (needs === undefined || (isContinued !== true && under === undefined && speaker === 'agent')) return []
  const before = from.find(({ position, message }) => position === needs.position && message === needs.message)
  return before === undefined ? [] : [...listNeeded(before, from), before]
}

/** The best sentences of one message that fit, in their order. */
export function choose(
  passages: readonly Passage[],
  { room, isLed = false, boost = () => 1 }: Choice,
): readonly Passage[] {
  const [first] = passages
  const ranked = passages.toSorted((a, b) => {
    const lead = Number(isLed && b === first) - Number(isLed && a === first)
    return lead !== 0 ? lead : getDensity(b) * boost(b) - getDensity(a) * boost(a)
  })
  const chosen: Passage[] = []
  let left = room
  for (const passage of ranked) {
    if (chosen.includes(passage)) continue
    const together = [...listNeeded(passage, passages).filter((one) => !chosen.includes(one)), passage]
    const cost = together.reduce((sum, one, index) => sum + getCost(one, [...chosen, ...together.slice(0, index)]), 0)
    if (cost > left) continue
    chosen.push(...together)
    left -= cost
  }
  return chosen.toSorted((a, b) => a.position - b.position)
}

/** Sentences of one paragraph, or the items of one list. */
function groupByParagraph(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  const groups = new Map<string, Passage[]>()
  for (const passage of passages) {
    const key = `${passage.paragraph}:${passage.form === 'prose' ? '' : passage.heading}`
    groups.set(key, [...(groups.get(key) ?? []), passage])
  }
  return [...groups.values()]
}

/** A shorter beginning of a paragraph says too little. */
const LEAST_SHARE = 0.4
/** A shorter paragraph is taken whole: its last item may be what is wrong. */
const WHOLE_CHARS = 200

/** The best paragraphs of one message that fit, whole or from their beginning: no item of a list is skipped. */
export function chooseParagraphs(
  passages: readonly Passage[],
  { room, isLed = false, boost = () => 1 }: Choice,
): readonly Passage[] {
  const groups = groupByParagraph(passages)
  const rate = (group: readonly Passage[]) =>
    group.reduce((sum, passage) => sum + getDensity(passage) * boost(passage), 0) / group.length
  const ranked = groups.toSorted(
    (a, b) => Number(isLed && b === groups[0]) - Number(isLed && a === groups[0]) || rate(b) - rate(a),
  )
  const chosen: Passage[] = []
  let left = room
  for (const group of ranked) {
    let begun = group
    while (begun.length > 0 && measure(begun) > left) begun = begun.slice(0, -1)
    const whole = measure(group)
    if (begun.length < group.length && (whole <= WHOLE_CHARS || measure(begun) < LEAST_SHARE * whole)) continue
    chosen.push(...begun)
    left -= measure(begun)
  }
  return chosen.toSorted((a, b) => a.position - b.position)
}

export function measure(passages: readonly Passage[]): number {
  return passages.reduce((sum, passage, index) => sum + getCost(passage, passages.slice(0, index)), 0)
}
