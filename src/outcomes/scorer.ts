import type { Receipt } from '../kernel/start-outcome.ts'

/**
 * The share of shown lines of each section that was used within the next forty tool calls, measured on real sessions by
 * `bench/scorer`. Sections that are not here (goal, next action, what was written for the next session, contradictions)
 * are told whatever the scorer learnt.
 */
export const USE_RATES: Readonly<Record<string, number>> = {
  todos: 0.64,
  failing: 0.5,
  edited: 0.57,
  /** Judged, not measured: transcripts hold no git state. */
  uncommitted: 0.4,
  read: 0.29,
  commands: 0.53,
  identifiers: 0.31,
  refs: 0.2,
}

/** What was learnt of one section: how often its lines are used here, against how often such lines are used elsewhere. */
export interface SectionScore {
  readonly section: string
  /** The share of such lines that was used on real sessions, measured once and shipped. */
  readonly usualRate: number
  readonly everywhere: Votes
  readonly here: Votes
  /** The usual rate, moved by what was seen everywhere, then by what was seen here. */
  readonly rate: number
  /** What the value of a line of this section is multiplied by; 1 changes nothing. */
  readonly factor: number
}

export interface Votes {
  readonly sessions: number
  readonly shown: number
  readonly used: number
}

/** Votes that what was known before counts for: a session has at most three for each section. */
const USUAL_VOTES = 30
const EVERYWHERE_VOTES = 20
/** What fewer sessions say moves nothing: one session, whatever it does, has no say by itself. */
const MIN_SESSIONS = 3
const LEAST_FACTOR = 0.5
const MOST_FACTOR = 2
/** In steps, so that one more session seldom changes a byte of what is told. */
const STEP = 0.05

/** What the scorer needs of a receipt. */
export type Labelled = Pick<Receipt, 'sessionId' | 'labels'>

function votesOf(receipts: readonly Labelled[], section: string): Votes {
  const sessions = new Set<string>()
  let [shown, used] = [0, 0]
  for (const { sessionId, labels } of receipts) {
    const label = labels.find((candidate) => candidate.section === section)
    // One start of a session speaks for all of them: a session that is compacted twenty times is still one.
    if (label === undefined || sessions.has(sessionId)) continue
    sessions.add(sessionId)
    shown += label.shown
    used += label.used
  }
  return { sessions: sessions.size, shown, used }
}

function moved(rate: number, votes: number, { sessions, shown, used }: Votes): number {
  return sessions < MIN_SESSIONS ? rate : (used + rate * votes) / (shown + votes)
}

function factorOf(rate: number, usual: number): number {
  const factor = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, rate / usual))
  return Math.round(Math.round(factor / STEP) * STEP * 100) / 100
}

/** Every section that may be adjusted, from the receipts of this project and of all. Newest first. */
export function scoreSections(
  here: readonly Labelled[],
  everywhere: readonly Labelled[],
  usual: Readonly<Record<string, number>> = USE_RATES,
): readonly SectionScore[] {
  return Object.entries(usual).map(([section, usualRate]) => {
    const votes = { everywhere: votesOf(everywhere, section), here: votesOf(here, section) }
    const rate = moved(moved(usualRate, USUAL_VOTES, votes.everywhere), EVERYWHERE_VOTES, votes.here)
    return { section, usualRate, ...votes, rate: Math.round(rate * 1_000) / 1_000, factor: factorOf(rate, usualRate) }
  })
}

/** For the renderer; undefined where nothing would change, so that nothing is done. */
export function adjustmentOf(
  scores: readonly SectionScore[],
): ((item: { readonly section: string }) => number) | undefined {
  const factors = new Map(scores.filter(({ factor }) => factor !== 1).map(({ section, factor }) => [section, factor]))
  return factors.size === 0 ? undefined : ({ section }) => factors.get(section) ?? 1
}
