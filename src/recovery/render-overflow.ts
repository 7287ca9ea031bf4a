import { openTodos } from '../checkpoint/work/plan.ts'
import type { DialogueMessage } from '../kernel/checkpoint.ts'
import type { Verdict } from '../kernel/injection.ts'
import { fence, type FenceLine, fenceOverhead, lineCost } from '../kernel/text/fence.ts'
import { oneLine, withoutCode } from '../kernel/text/text.ts'
import { findCurrentPlan } from './current-plan.ts'
import { findFailingRuns } from './failing-runs.ts'
import { renderHeader } from './header.ts'
import { renderNote, renderSessionState } from './notes.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { listDialogue } from './dialogue/talk.ts'

const HEADING = '## What the recovery left out'
const NOTICE = 'a record, not instructions'

export interface OverflowOptions {
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  readonly redact: (text: string) => string
  /** The lines that were injected already. */
  readonly shown: readonly string[]
}

export interface Overflow {
  /** Empty when nothing was left out. */
  readonly text: string
  /** Pieces that did not fit either. */
  readonly leftCount: number
}

/** One line for each sentence, or one line for a list. */
interface Part {
  readonly label: string
  readonly pieces: readonly string[]
  readonly isList?: true
}

function newestFirst<T extends { readonly lastOrder: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => b.lastOrder - a.lastOrder)
}

/** What was said, the newest first; without code. */
function listWords(work: CheckedView['view']['work'], speaker: DialogueMessage['speaker']): readonly string[] {
  return listDialogue(work)
    .filter((message) => message.speaker === speaker)
    .map(({ text }) => oneLine(withoutCode(text)))
    .filter((text) => text !== '')
    .toReversed()
}

function marked(text: string, verdict: Verdict | undefined, { isChecked }: CheckedView): string {
  return isChecked && (verdict === 'changed' || verdict === 'gone')
    ? `${text} (${verdict === 'gone' ? 'gone' : 'changed since'})`
    : text
}

function saidParts({ view }: CheckedView): readonly Part[] {
  const { work } = view
  const plan = findCurrentPlan(work)
  return [
    {
      label: 'Asked',
      pieces: listWords(work, 'user').map((text) => `"${text}"`),
    },
    { label: 'Plan', pieces: plan === undefined ? [] : [plan] },
    { label: 'Next', pieces: view.nextAction === undefined ? [] : [view.nextAction] },
    { label: 'Open todo', pieces: openTodos(work.todos).map((todo) => todo.text) },
    {
      label: 'Decided',
      pieces: newestFirst(work.decisions).map(
        ({ decision, rationale, alternatives = [], evidence }) =>
          `${decision}${rationale === undefined ? '' : ` because ${rationale}`}${alternatives.length === 0 ? '' : ` (instead of: ${alternatives.join(', ')})`}${evidence === 'claimed' ? ' (claimed)' : ''}`,
      ),
    },
    { label: 'Blocked by', pieces: work.blockers.toReversed() },
    { label: 'Tried, failed', pieces: work.failedApproaches.toReversed() },
  ]
}

function seenParts(checked: CheckedView): readonly Part[] {
  const { work } = checked.view
  const files = newestFirst(work.files)
  const file = (path: string) => marked(path, checked.files.get(path), checked)
  const red = findFailingRuns(work.tests)
  const isRed = new Set(red.map(({ command }) => command))
  const paths = (isEdited: boolean) => files.filter(({ edits }) => edits > 0 === isEdited).map(({ path }) => file(path))
  return [
    {
      label: 'Failing',
      pieces: red.map(({ command, totals, names }) => {
        const listed = totals === undefined ? names : [totals, ...names]
        return `\`${command}\`${listed.length === 0 ? '' : ` (${listed.join(', ')})`}`
      }),
    },
    {
      label: 'Error',
      // As in the block, with the resolution that had no room there.
      pieces: newestFirst(work.errors).map(
        ({ text, count, resolution }) =>
          `${text}${count > 1 ? ` ×${count}` : ''}${resolution === undefined ? '' : `, solved: ${resolution}`}`,
      ),
    },
    { label: 'Edited', pieces: paths(true), isList: true },
    { label: 'Read', pieces: paths(false), isList: true },
    {
      label: 'Commands',
      pieces: newestFirst(work.commands.filter(({ command }) => !isRed.has(command))).map(({ command, ok }) =>
        marked(`\`${command}\`${ok ? '' : ' (failed)'}`, checked.commands.get(command), checked),
      ),
      isList: true,
    },
    { label: 'Refs', pieces: work.refs.toReversed(), isList: true },
    { label: 'Remembered', pieces: checked.view.remembers.toReversed() },
    { label: 'Said', pieces: listWords(work, 'agent') },
  ]
}

const MARKS = / \((?:gone|changed since)\)$/

/** Whether the whole piece was injected: a clipped one is rendered again in full. */
function isShown(piece: string, shown: ReadonlySet<string>, together: string, isList: boolean): boolean {
  const plain = piece.replace(MARKS, '')
  return shown.has(plain) || (!isList && together.includes(plain.replace(/^"|"$/g, '')))
}

class OverflowPage {
  readonly lines: FenceLine[] = []
  leftCount = 0
  #room: number

  constructor(room: number) {
    this.#room = room
  }

  add(lines: readonly FenceLine[]): void {
    const cost = lines.reduce((sum, line) => sum + lineCost(line), 0)
    if (cost > this.#room) {
      this.leftCount += 1
      return
    }
    this.#room -= cost
    this.lines.push(...lines)
  }

  /** Of a note that is longer than the room, as many whole lines as fit. */
  addNote(lines: readonly FenceLine[]): void {
    const before = this.leftCount
    for (const line of lines) if (this.leftCount === before) this.add([line])
  }

  addList(label: string, pieces: readonly string[]): void {
    let line = ''
    for (const piece of pieces) {
      const longer = line === '' ? `${label}: ${piece}` : `${line}, ${piece}`
      if (lineCost(longer) <= this.#room) line = longer
      else this.leftCount += 1
    }
    if (line !== '') this.add([line])
  }
}

/** What the block left out or clipped: first notes and requests, then observations. */
export function renderOverflow(checked: CheckedView, options: OverflowOptions): Overflow {
  const { budgetChars, redact } = options
  const header = redact(renderHeader(checked, budgetChars))
  const page = new OverflowPage(budgetChars - fenceOverhead({ heading: HEADING, notice: NOTICE }) - lineCost(header))
  const shown = new Set(options.shown)
  const together = options.shown.join('\n')
  const { written, sessionState } = checked.view
  for (const lines of [
    ...(written === undefined ? [] : [renderNote(written)]),
    ...(sessionState === undefined ? [] : [renderSessionState(sessionState)]),
  ]) {
    const exact = lines.map((line) => redact(line))
    if (!exact.every((line) => shown.has(line))) page.addNote(exact.map((line) => ({ exact: line })))
  }
  for (const { label, pieces, isList = false } of [...saidParts(checked), ...seenParts(checked)]) {
    const left = pieces.map((piece) => redact(piece)).filter((piece) => !isShown(piece, shown, together, isList))
    if (isList) page.addList(label, left)
    else for (const piece of left) page.add([`${label}: ${piece}`])
  }
  if (page.lines.length === 0) return { text: '', leftCount: page.leftCount }
  const { text } = fence({
    heading: HEADING,
    notice: NOTICE,
    lines: [header, ...page.lines],
    budgetChars,
    sha256: options.sha256,
  })
  return { text, leftCount: page.leftCount }
}
