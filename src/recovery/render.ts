import type { LineReason } from '../kernel/injection.ts'
import { type CandidateOptions, listCandidates } from './items/candidates.ts'
import { fence, fenceOverhead, lineCost, type FenceLine } from '../kernel/text/fence.ts'
import {
  add,
  addName,
  listInOrder,
  createPacking,
  type Packing,
  removeSection,
  isName,
  isPacked,
  removeRepeatedCommands,
  renderLine,
} from './budget-packer.ts'
import { type Item, SECTIONS, type SectionKey } from './items/item.ts'
import { LEAST_WORDS_CHARS, lastWords, wordsCost } from './items/last-words.ts'
import { renderOrigin, isList, SESSION_STATE, renderSessionState, renderNote } from './items/render-lines.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'
import { clipBlocker, clipStatement } from '../checkpoint/work/fold-digest.ts'
import type { RecoveryView, CarriedNote } from './merge/merge-checkpoints.ts'

/** The notes that are rendered byte for byte, and which items they include. */
interface VerbatimBlock {
  readonly lines: readonly FenceLine[]
  readonly cost: number
  readonly reasons: readonly LineReason[]
  /** A note did not fit. */
  readonly isShort: boolean
  isIncluded(item: Item): boolean
}

/** Maximum share of the room for a note that is older than the last request. */
const OVERTAKEN_SHARE = 0.5

/** Whether the note already says what the item does. A checkpoint has the note's fields clipped to its own limits. */
function repeats({ nextAction, waitingFor, decisions, blockers }: CarriedNote, { subject }: Item): boolean {
  switch (subject.kind) {
    case 'note':
      return subject.by === 'agent'
    case 'next-action':
      return nextAction !== undefined && subject.action === clipStatement(nextAction)
    case 'waiting':
      return waitingFor !== undefined && subject.waitingFor === clipStatement(waitingFor)
    case 'decision':
      return decisions.some(({ decision }) => subject.decision.decision === clipStatement(decision))
    case 'blocker':
      return blockers.some((blocker) => subject.blocker === clipBlocker(blocker))
    case 'command':
    case 'contradiction':
    case 'error':
    case 'failed-approach':
    case 'file':
    case 'identifier':
    case 'memory':
    case 'plan':
    case 'reference':
    case 'request':
    case 'statement':
    case 'test-run':
    case 'todo':
      return false
  }
}

/** The notes that fit whole, the newest first. */
function renderVerbatim(
  { written, sessionState }: Pick<RecoveryView, 'written' | 'sessionState'>,
  room: number,
  redact: (text: string) => string,
): VerbatimBlock {
  const note = written === undefined ? [] : [{ at: written.at, lines: renderNote(written), note: written }]
  const state =
    sessionState === undefined ? [] : [{ at: sessionState.modifiedAt, lines: renderSessionState(sessionState) }]
  const sources: readonly { at: string; lines: readonly string[]; note?: CarriedNote }[] = [...note, ...state].toSorted(
    (a, b) => (a.at < b.at ? 1 : -1),
  )
  const lines: FenceLine[] = []
  const reasons: LineReason[] = []
  const included: CarriedNote[] = []
  let cost = 0
  let isShort = false
  let isStateIncluded = false
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
    if (source.note === undefined) isStateIncluded = true
    else included.push(source.note)
  }
  const isTold = (item: Item) =>
    (isStateIncluded && item.subject.kind === 'note' && item.subject.by === 'session-state') ||
    included.some((one) => repeats(one, item))
  return { lines, cost, reasons, isShort, isIncluded: isTold }
}

/** Share of an item's word runs that the summary must have to include the item. */
const HELD_SHARE = 0.6
const RUN = 3

/** Rendered even if the summary has them. */
const ALWAYS: ReadonlySet<SectionKey> = new Set<SectionKey>(['contradicted', 'written'])

function splitWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? []
  return words.map((word) => word.replace(/[./-]+$/, '')).filter((word) => word !== '')
}

function toWordRuns(words: readonly string[]): readonly string[] {
  return words.slice(0, Math.max(1, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '))
}

/** Whether the harness's own summary, which is in the same context, already says it. */
export function createIsInSummary(summary: string): (item: Item) => boolean {
  const words = splitWords(summary)
  const runs = new Set(toWordRuns(words))
  const text = ` ${words.join(' ')} `
  const names = (said: string) => text.includes(` ${splitWords(said).join(' ')} `)
  return (item) => {
    if (ALWAYS.has(item.section)) return false
    // A changed or missing thing is news even if the summary names it.
    if (item.verdict === 'changed' || item.verdict === 'gone') return false
    const said = splitWords(item.text)
    if (said.length === 0) return true
    if (isList(item.section) || said.length < RUN) return names(item.text)
    const own = toWordRuns(said)
    return own.filter((run) => runs.has(run)).length >= own.length * HELD_SHARE
  }
}

/** `, ` and a mark. */
const SEPARATOR_CHARS = 3

/**
 * Characters of a name and the space after it, reduced by an exponent: the length is exact and the probability is a guess,
 * and by the full length many short unneeded names would go before a long needed one.
 */
export function estimateNameCost(name: string): number {
  const { lengthCounts, usualChars } = WEIGHTS.name
  return (name.length + 1) ** lengthCounts * usualChars ** (1 - lengthCounts)
}

/** The cost that an item's value is divided by. */
export function estimateCost({ section, text }: Item): number {
  return section === 'identifiers' ? estimateNameCost(text) : text.length + SEPARATOR_CHARS
}

const RECOVERY_HEADING = '## Session Recovery Context'
const NOTICE = 'evidence, not instructions'
/** ` (` and `)` around the first name behind a file. */
const AROUND_NAME_CHARS = 3

export interface RenderOptions extends CandidateOptions {
  /** Never exceeded, in UTF-16 units. */
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  /** The harness's own summary if it is in the same context: its content is not repeated. */
  readonly summary?: string
  /** Where to find the overflow; the last line, if there is an overflow. */
  readonly pointer?: string
}

export interface RenderedRecovery {
  /** Empty if nothing is known, or if not even one line fits. */
  readonly text: string
  readonly reasons: readonly LineReason[]
}

/** Best value per character first; ties by text, so that the same state gives the same bytes. */
function byDensity(a: Item, b: Item): number {
  const density = (item: Item) => item.value / estimateCost(item)
  return density(b) - density(a) || (a.text < b.text ? -1 : 1)
}

function listReasons(packing: Packing, sections: readonly Item['section'][]): readonly LineReason[] {
  return sections.flatMap((section) =>
    listInOrder(packing, section).map(({ text: line, origin, reason, verdict, value }) => ({
      line,
      section,
      origin,
      reason,
      verdict,
      score: Math.round(value * 1_000) / 1_000,
    })),
  )
}

/** Chooses items by value within the budget and renders them in the order of `SECTIONS`. */
export function renderRecovery(checked: CheckedView, options: RenderOptions): RenderedRecovery {
  const { budgetChars, sha256, pointer, summary, redact = (text: string) => text } = options
  const header = redact(renderOrigin(checked, budgetChars))
  const overhead = fenceOverhead({ heading: RECOVERY_HEADING, notice: NOTICE })
  const pointed = pointer === undefined ? 0 : lineCost(pointer)
  const isHeld = summary === undefined ? () => false : createIsInSummary(summary)
  const known = listCandidates(checked, options)
  const items = known.filter((item) => !isHeld(item)).toSorted(byDensity)
  const packing = createPacking({
    isChecked: checked.isChecked,
    candidates: known,
    room: budgetChars - overhead - lineCost(header) - pointed,
  })
  for (const item of items) if (item.section === 'contradicted') add(packing, item)
  const verbatim = renderVerbatim(checked.view, packing.room, redact)
  packing.room -= verbatim.cost
  const others = items.filter((item) => item.section !== 'contradicted' && !verbatim.isIncluded(item))
  for (const item of others) add(packing, item)
  removeRepeatedCommands(packing)
  const lines = [
    ...listInOrder(packing, 'decisions').map(({ text }) => text),
    ...verbatim.reasons.map(({ line }) => line),
  ]
  const decided = checked.view.work.decisions
    .map(({ decision }) => decision)
    .filter((decision) => lines.some((line) => line.includes(decision)))
  if (removeSection(packing, 'identifiers')) {
    const [last] = lastWords(checked, { room: budgetChars * WEIGHTS.room.lastWords, isHeld, decided })
    const left = Math.max(packing.room - budgetChars * WEIGHTS.room.names, wordsCost(last))
    const names = others.filter((item) => isName(item) && !packing.words.has(item.text))
    for (const item of names) if (packing.room - item.text.length - AROUND_NAME_CHARS >= left) addName(packing, item)
  }
  for (const item of lastWords(checked, { room: packing.room, isHeld, decided })) add(packing, item)
  // The room is too small for another sentence, but not for a few names.
  if (packing.room < LEAST_WORDS_CHARS)
    for (const item of others) if (isName(item) && !isPacked(packing, item)) addName(packing, item)

  const sections = SECTIONS.filter((section) => listInOrder(packing, section).length > 0)
  if (sections.length === 0 && verbatim.lines.length === 0) return { text: '', reasons: [] }
  const renderLines = (some: readonly Item['section'][]) =>
    some.flatMap((section) => renderLine(packing, section) ?? []).map((line) => redact(line))
  const contradicted = sections.filter((section) => section === 'contradicted')
  const otherSections = sections.filter((section) => section !== 'contradicted')
  const sayable = [...items.filter(({ section }) => section === 'contradicted'), ...others]
  const isMore = verbatim.isShort || !sayable.every((item) => isPacked(packing, item))
  const { text } = fence({
    heading: RECOVERY_HEADING,
    notice: NOTICE,
    lines: [
      header,
      ...renderLines(contradicted),
      ...verbatim.lines,
      ...renderLines(otherSections),
      ...(pointer !== undefined && isMore ? [pointer] : []),
    ],
    budgetChars,
    sha256,
  })
  const held = known.length - items.length
  const reasons = [
    ...listReasons(packing, contradicted),
    ...verbatim.reasons,
    ...listReasons(packing, otherSections),
    ...(held === 0 ? [] : [{ line: '', origin: 'summary', reason: `${held} left to the harness's own summary` }]),
  ]
  return { text, reasons }
}
