import type { LineReason } from '../injection.ts'
import { leadingSentences } from '../work/text.ts'
import { type CandidateOptions, candidates, withVerdict } from './candidates.ts'
import { heldBy } from './complement.ts'
import { costOf } from './cost.ts'
import { fence, fenceOverhead, lineCost } from './fence.ts'
import type { Item } from './item.ts'
import { SECTIONS } from './item.ts'
import { originLine } from './origin-line.ts'
import type { CheckedView } from './recheck.ts'
import { renderSection } from './section-line.ts'
import { withoutDecisions } from './told-decisions.ts'
import { verbatimOf } from './verbatim.ts'
import { WEIGHTS } from './weights.ts'

const RECOVERY_HEADING = '## Session Recovery Context'
const NOTICE = 'evidence, not instructions'

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

/** `| Last said: ` and its quotes. */
const WORDS_LABEL_CHARS = 20
const MIN_WORDS_CHARS = 60
/** Between two of them: `; `, and the quotes of the second. */
const SEPARATOR_CHARS = 4

/** Their sentences name commands. */
const BESIDE_COMMANDS = ['running', 'failing', 'failed'] as const

const NOT_IN_NAMES = /[^\w$]+/

/** Two of them may have the same file: one that was read, and that somebody has changed since. */
const FILES: ReadonlySet<Item['section']> = new Set<Item['section']>(['edited', 'uncommitted', 'read', 'named'])

interface Fitting {
  readonly chosen: Map<string, Item[]>
  readonly lines: Map<string, { readonly line: string; readonly cost: number }>
  readonly files: Set<string>
  /** Words of the sentences and lists chosen so far: a name among them is in play there already. */
  readonly told: Set<string>
  room: number
}

function isName({ section }: Item): boolean {
  return section === 'identifiers'
}

/** Best value per character first; ties by text, so that the same state gives the same bytes. */
function byDensity(a: Item, b: Item): number {
  const density = (item: Item) => item.value / costOf(item)
  return density(b) - density(a) || (a.text < b.text ? -1 : 1)
}

function tryAdd(fitting: Fitting, item: Item, line: string): void {
  const cost = lineCost(line)
  const more = cost - (fitting.lines.get(item.section)?.cost ?? 0)
  if (more > fitting.room) return
  if (FILES.has(item.section)) fitting.files.add(item.text)
  fitting.room -= more
  fitting.lines.set(item.section, { line, cost })
  fitting.chosen.set(item.section, [...(fitting.chosen.get(item.section) ?? []), item])
  if (!isName(item)) for (const word of item.text.split(NOT_IN_NAMES)) fitting.told.add(word)
}

/** Takes a section back. Names are chosen once to weigh them against the rest, and again without those that the rest tells. */
function forget(fitting: Fitting, section: Item['section']): boolean {
  const { cost = 0 } = fitting.lines.get(section) ?? {}
  fitting.room += cost
  fitting.chosen.delete(section)
  return fitting.lines.delete(section)
}

/**
 * Whether a command stands in another line, as what failed or was running; how it ended is said there. One whose script has
 * gone or cannot be told of says more by itself.
 */
function isBeside(fitting: Fitting, { section, text, verdict = 'holds' }: Item): boolean {
  if (section !== 'commands' || verdict !== 'holds') return false
  const command = text.slice(0, text.lastIndexOf('`') + 1)
  return BESIDE_COMMANDS.some((other) => fitting.lines.get(other)?.line.includes(command) === true)
}

/** They are not told a second time. */
function leaveOutToldCommands(fitting: Fitting, add: (item: Item) => void): void {
  const commands = fitting.chosen.get('commands') ?? []
  const left = commands.filter((item) => !isBeside(fitting, item))
  if (left.length === commands.length) return
  forget(fitting, 'commands')
  for (const item of left) add(item)
}

function reasonsOf(fitting: Fitting, sections: readonly Item['section'][]): readonly LineReason[] {
  return sections.flatMap((section) =>
    (fitting.chosen.get(section) ?? []).map(({ text: line, origin, reason, verdict, value }) => ({
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
  const fitting: Fitting = {
    chosen: new Map(),
    lines: new Map(),
    files: new Set(),
    told: new Set(),
    room: budgetChars - overhead - lineCost(header) - (pointer === undefined ? 0 : lineCost(pointer)),
  }
  const render = (section: Item['section'], chosen: readonly Item[]) =>
    renderSection(section, chosen, checked.isChecked)
  const add = (item: Item) => {
    if (FILES.has(item.section) && fitting.files.has(item.text)) return
    // Names come in hundreds, and rendering a line to learn that it is too long takes time that a session's start waits for.
    if (isName(item) && item.text.length > fitting.room) return
    tryAdd(fitting, item, render(item.section, [...(fitting.chosen.get(item.section) ?? []), item]))
  }

  const isHeld = summary === undefined ? () => false : heldBy(summary)
  const known = candidates(checked, options).toSorted(byDensity)
  const items = known.filter((item) => !isHeld(item))
  for (const item of items) if (item.section === 'contradicted') add(item)
  const verbatim = verbatimOf(checked.view, fitting.room, redact)
  fitting.room -= verbatim.cost
  const rest = items.filter((item) => item.section !== 'contradicted' && !verbatim.isTold(item))
  for (const item of rest) add(item)
  leaveOutToldCommands(fitting, add)
  const names = rest.filter((item) => isName(item) && !fitting.told.has(item.text))
  if (forget(fitting, 'identifiers')) {
    const left = fitting.room - budgetChars * WEIGHTS.room.names
    for (const item of names) if (fitting.room - item.text.length > left) add(item)
  }
  const lines = [
    ...(fitting.chosen.get('decisions') ?? []).map(({ text }) => text),
    ...verbatim.reasons.map(({ line }) => line),
  ]
  const decided = checked.view.work.decisions
    .map(({ decision }) => decision)
    .filter((decision) => lines.some((line) => line.includes(decision)))
  addLastWords(checked, add, { room: fitting.room, isHeld, decided })

  const sections = SECTIONS.filter((section) => fitting.lines.has(section))
  if (sections.length === 0 && verbatim.lines.length === 0) return { text: '', reasons: [] }
  const linesOf = (some: readonly Item['section'][]) =>
    some.map((section) => redact(fitting.lines.get(section)?.line ?? ''))
  const contradicted = sections.filter((section) => section === 'contradicted')
  const others = sections.filter((section) => section !== 'contradicted')
  // What stands in another line is not left out.
  const isSaid = (item: Item) =>
    (fitting.chosen.get(item.section) ?? []).includes(item) ||
    (isName(item) && fitting.told.has(item.text)) ||
    isBeside(fitting, item) ||
    (FILES.has(item.section) && fitting.files.has(item.text))
  const sayable = [...items.filter(({ section }) => section === 'contradicted'), ...rest]
  const isMore = verbatim.isShort || !sayable.every(isSaid)
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

interface LastWordsContext {
  readonly room: number
  readonly isHeld: (item: Item) => boolean
  /** Decisions that stand in another line. */
  readonly decided: readonly string[]
}

/** Whatever room is left goes to what the agent said last, and before that. */
function addLastWords(
  checked: CheckedView,
  add: (item: Item) => void,
  { room, isHeld, decided }: LastWordsContext,
): void {
  let left = Math.min(room - WORDS_LABEL_CHARS, WEIGHTS.room.lastWordsChars)
  let before = ''
  for (const { text: said } of checked.view.work.statements.toReversed()) {
    if (left < MIN_WORDS_CHARS) return
    const text = withoutDecisions(said, decided)
    if (!/\p{L}/u.test(text)) continue
    const item: Item = {
      section: 'words',
      text: `${before}"${leadingSentences(text, left - before.length - SEPARATOR_CHARS)}"`,
      value: WEIGHTS.section.words,
      origin: 'statements',
      reason: before === '' ? 'the last thing said' : 'said shortly before the end',
    }
    if (isHeld(item)) continue
    add(withVerdict(item, checked))
    before = 'before that '
    left -= item.text.length + SEPARATOR_CHARS
  }
}
