import type { LineReason } from '../kernel/injection.ts'
import { type CandidateOptions, candidates } from './items/candidates.ts'
import { fence, fenceOverhead, lineCost, type FenceLine } from '../kernel/text/fence.ts'
import {
  add,
  addName,
  chosenFrom,
  emptyFitting,
  type Fitting,
  forget,
  isName,
  isSaid,
  leaveOutToldCommands,
  lineOf,
} from './budget-packer.ts'
import { type Item, SECTIONS, type SectionKey } from './items/item.ts'
import { LEAST_WORDS_CHARS, lastWords, wordsCost } from './items/last-words.ts'
import { originLine } from './items/origin-line.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'
import { isList } from './items/section-line.ts'
import { clip } from '../kernel/text/text.ts'
import type { RecoveryView, WrittenNote } from './merge/merge-checkpoints.ts'
import { SESSION_STATE, sessionStateLines, writtenLines } from './items/note-lines.ts'

/** What comes back byte for byte, and what need not be said a second time for that. */
interface Verbatim {
  readonly lines: readonly FenceLine[]
  readonly cost: number
  readonly reasons: readonly LineReason[]
  /** Something was written that did not fit. */
  readonly isShort: boolean
  isTold(item: Item): boolean
}

/** Of what the user has asked for something else since: it must not crowd out what is true now. */
const OVERTAKEN_SHARE = 0.5

/** The same thing as a candidate of the composer, which is cut to its own lengths. */
function repeats(
  { nextAction, waitingFor, decisions, blockers }: WrittenNote,
  { section, text, origin }: Item,
): boolean {
  if (section === 'written') return origin !== SESSION_STATE
  if (section === 'next') return nextAction !== undefined && text === clip(clip(nextAction, 400), 300)
  if (section === 'waiting') return waitingFor !== undefined && text === clip(clip(waitingFor, 400), 220)
  if (section === 'decisions') return decisions.some(({ decision }) => text.startsWith(clip(clip(decision, 400), 130)))
  return section === 'blockers' && blockers.some((blocker) => text === clip(clip(blocker, 240), 140))
}

/** As much of what was written as fits whole, the newest first. */
function verbatimOf(
  { written, sessionState }: Pick<RecoveryView, 'written' | 'sessionState'>,
  room: number,
  redact: (text: string) => string,
): Verbatim {
  const note = written === undefined ? [] : [{ at: written.at, lines: writtenLines(written), note: written }]
  const state =
    sessionState === undefined ? [] : [{ at: sessionState.modifiedAt, lines: sessionStateLines(sessionState) }]
  const sources: readonly { at: string; lines: readonly string[]; note?: WrittenNote }[] = [...note, ...state].toSorted(
    (a, b) => (a.at < b.at ? 1 : -1),
  )
  const lines: FenceLine[] = []
  const reasons: LineReason[] = []
  const told: WrittenNote[] = []
  let cost = 0
  let isShort = false
  let isStateTold = false
  for (const source of sources) {
    const exact = source.lines.map((line) => ({ exact: redact(line) }))
    const own = exact.reduce((sum, line) => sum + lineCost(line), 0)
    const isOld = source.note === undefined ? sessionState?.isEarlier === true : source.note.isOvertaken
    const most = isOld ? room * OVERTAKEN_SHARE : room
    if (cost + own > most) {
      isShort = true
      continue
    }
    cost += own
    lines.push(...exact)
    const origin = source.note === undefined ? SESSION_STATE : 'written'
    reasons.push(
      ...exact.map(({ exact: line }) => ({ line, section: 'written', origin, reason: 'written for this purpose' })),
    )
    if (source.note === undefined) isStateTold = true
    else told.push(source.note)
  }
  const isTold = (item: Item) =>
    (isStateTold && item.origin === SESSION_STATE) || told.some((one) => repeats(one, item))
  return { lines, cost, reasons, isShort, isTold }
}

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

/** Between two of a list: `, `, and what a mark takes. */
const SEPARATOR_CHARS = 3

/**
 * Characters that a name takes, and the blank behind it. They count less than in full: how long a name is we know, how likely it
 * is to be needed we guess, and by the whole length many short names that nobody needs go before a long one that is asked for.
 */
export function costOfName(name: string): number {
  const { lengthCounts, usualChars } = WEIGHTS.name
  return (name.length + 1) ** lengthCounts * usualChars ** (1 - lengthCounts)
}

/** What the worth of an item is held against. */
export function costOf({ section, text }: Item): number {
  return section === 'identifiers' ? costOfName(text) : text.length + SEPARATOR_CHARS
}

const RECOVERY_HEADING = '## Session Recovery Context'
const NOTICE = 'evidence, not instructions'
/** ` (` and `)` around the first one behind a file. */
const AROUND_NAME_CHARS = 3

export interface RenderOptions extends CandidateOptions {
  /** Never exceeded, in UTF-16 units. */
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  /** What the harness's own summary says, where it stands in the same context: what it holds is not said again. */
  readonly summary?: string
  /** Where the rest is; the last line, when there is a rest. */
  readonly pointer?: string
}

export interface Rendered {
  /** Empty when nothing is known, or when the budget cannot hold one line of it. */
  readonly text: string
  readonly reasons: readonly LineReason[]
}

/** Best value per character first; ties by text, so that the same state gives the same bytes. */
function byDensity(a: Item, b: Item): number {
  const density = (item: Item) => item.value / costOf(item)
  return density(b) - density(a) || (a.text < b.text ? -1 : 1)
}

function reasonsOf(fitting: Fitting, sections: readonly Item['section'][]): readonly LineReason[] {
  return sections.flatMap((section) =>
    chosenFrom(fitting, section).map(({ text: line, origin, reason, verdict, value }) => ({
      line,
      section,
      origin,
      reason,
      verdict,
      score: Math.round(value * 1_000) / 1_000,
    })),
  )
}

/** What would be said to the next session: chosen by worth within the budget, in the order of `SECTIONS`. */
export function renderRecovery(checked: CheckedView, options: RenderOptions): Rendered {
  const { budgetChars, sha256, pointer, summary, redact = (text: string) => text } = options
  const header = redact(originLine(checked, budgetChars))
  const overhead = fenceOverhead({ heading: RECOVERY_HEADING, notice: NOTICE })
  const pointed = pointer === undefined ? 0 : lineCost(pointer)
  const isHeld = summary === undefined ? () => false : heldBy(summary)
  const known = candidates(checked, options)
  const items = known.filter((item) => !isHeld(item)).toSorted(byDensity)
  const fitting = emptyFitting({
    isChecked: checked.isChecked,
    candidates: known,
    room: budgetChars - overhead - lineCost(header) - pointed,
  })
  for (const item of items) if (item.section === 'contradicted') add(fitting, item)
  const verbatim = verbatimOf(checked.view, fitting.room, redact)
  fitting.room -= verbatim.cost
  const rest = items.filter((item) => item.section !== 'contradicted' && !verbatim.isTold(item))
  for (const item of rest) add(fitting, item)
  leaveOutToldCommands(fitting)
  const lines = [
    ...chosenFrom(fitting, 'decisions').map(({ text }) => text),
    ...verbatim.reasons.map(({ line }) => line),
  ]
  const decided = checked.view.work.decisions
    .map(({ decision }) => decision)
    .filter((decision) => lines.some((line) => line.includes(decision)))
  if (forget(fitting, 'identifiers')) {
    const [last] = lastWords(checked, { room: budgetChars * WEIGHTS.room.lastWords, isHeld, decided })
    const left = Math.max(fitting.room - budgetChars * WEIGHTS.room.names, wordsCost(last))
    const names = rest.filter((item) => isName(item) && !fitting.told.has(item.text))
    for (const item of names) if (fitting.room - item.text.length - AROUND_NAME_CHARS >= left) addName(fitting, item)
  }
  for (const item of lastWords(checked, { room: fitting.room, isHeld, decided })) add(fitting, item)
  // What is left is too short for another sentence, and not for a name or two.
  if (fitting.room < LEAST_WORDS_CHARS)
    for (const item of rest) if (isName(item) && !isSaid(fitting, item)) addName(fitting, item)

  const sections = SECTIONS.filter((section) => chosenFrom(fitting, section).length > 0)
  if (sections.length === 0 && verbatim.lines.length === 0) return { text: '', reasons: [] }
  const linesOf = (some: readonly Item['section'][]) =>
    some.flatMap((section) => lineOf(fitting, section) ?? []).map((line) => redact(line))
  const contradicted = sections.filter((section) => section === 'contradicted')
  const others = sections.filter((section) => section !== 'contradicted')
  const sayable = [...items.filter(({ section }) => section === 'contradicted'), ...rest]
  const isMore = verbatim.isShort || !sayable.every((item) => isSaid(fitting, item))
  const { text } = fence({
    heading: RECOVERY_HEADING,
    notice: NOTICE,
    lines: [
      header,
      ...linesOf(contradicted),
      ...verbatim.lines,
      ...linesOf(others),
      ...(pointer !== undefined && isMore ? [pointer] : []),
    ],
    budgetChars,
    sha256,
  })
  const held = known.length - items.length
  const reasons = [
    ...reasonsOf(fitting, contradicted),
    ...verbatim.reasons,
    ...reasonsOf(fitting, others),
    ...(held === 0 ? [] : [{ line: '', origin: 'summary', reason: `${held} left to the harness's own summary` }]),
  ]
  return { text, reasons }
}
