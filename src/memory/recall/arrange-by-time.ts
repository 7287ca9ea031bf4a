import { isSimilarText, toTermSet } from '../../kernel/text/terms.ts'
import { toCommonForm } from './question.ts'
import { compareStatements } from '../statement/compare-statements.ts'
import type { TimeSpan } from './stated-dates.ts'
import type { TimeQuestion, TimeWindow } from './time-words.ts'

/** A ranked statement and its times. */
export interface TimedItem {
  readonly text: string
  readonly score: number
  readonly relevance: number
  readonly isRelated: boolean
  /** When it was stored. */
  readonly at: number
  /** The dates that it names. */
  getStated(): readonly TimeSpan[]
  /** Decides between equal times: larger is newer. */
  readonly place: number
}

export function isInWindow(
  { at, stated }: { readonly at: number; readonly stated: readonly TimeSpan[] },
  { from, to }: TimeWindow,
): boolean {
  const overlaps = (span: TimeSpan) => (from === undefined || span.to > from) && (to === undefined || span.from < to)
  const isNamed = stated.some(overlaps)
  // A span without an end contains nearly every time of storing: there the named date alone counts.
  if (isNamed || (stated.length > 0 && (from === undefined || to === undefined))) return isNamed
  return overlaps({ from: at, to: at + 1 })
}

/** The time that a statement is about. */
function toTime(item: TimedItem): number {
  const stated = item.getStated()
  return stated.length === 0 ? item.at : Math.max(...stated.map(({ from }) => from))
}

const toCommonTerms = (text: string): ReadonlySet<string> => new Set([...toTermSet(text)].map(toCommonForm))

function compareTimes(a: TimedItem, b: TimedItem): number {
  return toTime(a) - toTime(b) || a.place - b.place
}

/** Items with this share of the best score answer the same question. */
const SAME_QUESTION = 0.5
/** A match that has this share of the question is about it. */
const ABOUT = 0.5
/** A statement of the time that is asked for is an answer, whatever its words are. */
const TIME_RELEVANCE = 0.3
/** Compared with each other for being about the same thing. */
const COMPARED = 12
/** A newer statement must answer the question nearly as well as the older one. */
const AS_RELEVANT = 0.6

/** A newer statement that says that something changed, and has this share of the older one's terms, is about the same thing. */
const CHANGED_MATTER = 0.5
/** Such a statement may put it in other words than the question. */
const AS_RELEVANT_CHANGE = 0.4
const CHANGE =
  /\b(?:now|no longer|not anymore|any ?more|from (?:now|today|tomorrow) on|since then|actually|correction|moved|relocated|switched|changed|became|renamed|raised|increased|lowered|reduced|postponed|extended|joined|updated)\b/i
const ABANDONMENT =
  /\b(?:left|quit|sold|replaced|replaces|dropped|stopped|abandoned|instead of|rather than|no longer|away|stepped down|took over|taken over|used to|moved (?:\S+ ){0,3}?from|switched from|migrated from)\b/i

/** Half of all statements are about these. */
const SUBJECTS = toTermSet('user project team company')

interface Matter {
  readonly item: TimedItem
  readonly terms: ReadonlySet<string>
}

/** Whether the newer statement ends what the older one says: it names the value that was given up, or says that it changed. */
function isChangeOf(older: Matter, newer: Matter, asked: ReadonlySet<string>): boolean {
  const shared = [...older.terms].filter((term) => newer.terms.has(term))
  if (shared.length < CHANGED_MATTER * older.terms.size) return false
  if (ABANDONMENT.test(newer.item.text) && shared.some((term) => !asked.has(term) && !SUBJECTS.has(term))) return true
  return (
    CHANGE.test(newer.item.text) &&
    newer.item.relevance >= AS_RELEVANT_CHANGE * older.item.relevance &&
    newer.item.score >= AS_RELEVANT_CHANGE * older.item.score
  )
}

function raiseNewer<Item extends TimedItem>(items: readonly Item[], question: string): readonly Item[] {
  const raised = [...items]
  const asked = toCommonTerms(question)
  const terms = new Map(raised.slice(0, COMPARED).map((item) => [item, toCommonTerms(item.text)]))
  for (let index = 1; index < Math.min(COMPARED, raised.length); index++) {
    const newer = raised[index]
    if (newer === undefined) continue
    const newerTerms = terms.get(newer)
    const older = raised.slice(0, index).findIndex((item) => {
      const olderTerms = terms.get(item)
      return (
        item.place < newer.place &&
        item.at <= newer.at &&
        olderTerms !== undefined &&
        newerTerms !== undefined &&
        (isChangeOf({ item, terms: olderTerms }, { item: newer, terms: newerTerms }, asked) ||
          (newer.score >= AS_RELEVANT * item.score &&
            newer.relevance >= AS_RELEVANT * item.relevance &&
            isSimilarText(olderTerms, newerTerms) &&
            item.getStated().length === 0)) &&
        compareStatements(item.text, newer.text) !== 'sibling'
      )
    })
    if (older < 0) continue
    raised.splice(index, 1)
    raised.splice(older, 0, newer)
  }
  return raised
}

/** Asks how things were, not what happened. */
const ASKS_STATE = /\b(?:is|are|was|were|have|has|had|cost|costs|use|used|live|lived|work|worked)\b/i

/** What was said last before the end of that time, of what answers the question: it held then. */
function findStateAt<Item extends TimedItem>(ranked: readonly Item[], { from, to }: TimeWindow, question: string) {
  if (from === undefined || to === undefined || !ASKS_STATE.test(question)) return []
  const known = ranked.filter((item) => item.isRelated && item.relevance >= TIME_RELEVANCE && toTime(item) < to)
  const best = known.reduce((max, { score }) => Math.max(max, score), 0)
  return known.filter(({ score }) => score >= SAME_QUESTION * best).toSorted((a, b) => compareTimes(b, a))
}

/** Those of the time that is asked for; if there are none, what held then; else all that are related. */
function selectWindow<Item extends TimedItem>(
  ranked: readonly Item[],
  window: TimeWindow,
  { event, text }: Pick<TimeQuestion, 'event' | 'text'>,
): readonly Item[] {
  const inside = ranked.filter((item) => isInWindow({ at: item.at, stated: item.getStated() }, window))
  const isTopical = inside.some(({ relevance }) => relevance >= ABOUT)
  const state = event === undefined ? findStateAt(ranked, window, text) : []
  if (state.some(({ relevance }) => inside.every((item) => item.relevance < relevance)))
    return [...state, ...inside.filter((item) => item.isRelated && !state.includes(item))]
  if (inside.length === 0) return ranked.filter(({ isRelated }) => isRelated)
  const chosen = inside
    .filter(({ isRelated }) => isRelated || !isTopical)
    .map((item) => ({ ...item, relevance: Math.max(item.relevance, TIME_RELEVANCE) }))
  if (event === undefined) return chosen
  // What happened next, or just before, is likelier to be meant.
  const nearest = chosen.toSorted((a, b) => (event.side === 'after' ? compareTimes(a, b) : compareTimes(b, a)))
  const nearness = new Map(nearest.map((item, index) => [item, 0.5 / (1 + index)]))
  return chosen.toSorted((a, b) => b.score + (nearness.get(b) ?? 0) - (a.score + (nearness.get(a) ?? 0)))
}

/**
 * Applies what a question says about time to ranked items: leaves out those of other times, and puts the newest or the oldest
 * of those that answer the question first. Of two statements about the same thing the newer one comes first in any case.
 */
export function arrangeByTime<Item extends TimedItem>(
  ranked: readonly Item[],
  { text, window, order, event }: Pick<TimeQuestion, 'text' | 'window' | 'order' | 'event'>,
): readonly Item[] {
  const selected =
    window === undefined ? ranked.filter(({ isRelated }) => isRelated) : selectWindow(ranked, window, { event, text })
  if (order === undefined) return raiseNewer(selected, text)
  const best = selected.reduce((max, { score }) => Math.max(max, score), 0)
  const answers = selected.filter(({ score }) => score >= SAME_QUESTION * best)
  const inOrder = answers.toSorted((a, b) => (order === 'newest' ? compareTimes(b, a) : compareTimes(a, b)))
  return [...inOrder, ...selected.filter((item) => !answers.includes(item))]
}
