import type { LineReason } from '../kernel/injection.ts'
import { type CandidateOptions, candidates } from './items/candidates.ts'
import { heldBy } from './items/complement.ts'
import { costOf } from './items/cost.ts'
import { fence, fenceOverhead, lineCost } from '../kernel/text/fence.ts'
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
import type { Item } from './items/item.ts'
import { SECTIONS } from './items/item.ts'
import { LEAST_WORDS_CHARS, lastWords, wordsCost } from './items/last-words.ts'
import { originLine } from './items/origin-line.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { verbatimOf } from './items/verbatim.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'

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
