import type { Verdict } from '../kernel/injection.ts'
import { openTodos } from '../checkpoint/work/todos.ts'
import { currentPlan } from './items/current-plan.ts'
import { fence, type FenceLine, fenceOverhead, lineCost } from '../kernel/text/fence.ts'
import { originLine } from './items/origin-line.ts'
import { quotedAsk } from './items/quoted-request.ts'
import type { CheckedView } from './revalidate/revalidate.ts'
import { redRunsIn } from './items/failing-runs.ts'
import { markOf } from './items/section-line.ts'
import { sessionStateLines, writtenLines } from './items/note-lines.ts'

const HEADING = '## What the recovery left out'
const NOTICE = 'evidence, not instructions'

export interface RestOptions {
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  readonly redact: (text: string) => string
  /** What was said already, piece by piece; it is not said again. */
  readonly shown: readonly string[]
}

export interface Rest {
  /** Empty when nothing was left out. */
  readonly text: string
  /** Pieces that did not fit either. */
  readonly leftCount: number
}

/** Sentences stand each in a line of their own, names side by side. */
interface Part {
  readonly label: string
  readonly pieces: readonly string[]
  readonly isList?: true
}

function newestFirst<T extends { readonly lastOrder: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => b.lastOrder - a.lastOrder)
}

function marked(text: string, verdict: Verdict | undefined, { isChecked }: CheckedView): string {
  return isChecked && verdict !== undefined ? `${text}${markOf(verdict)}` : text
}

function saidParts({ view }: CheckedView): readonly Part[] {
  const { work } = view
  const plan = currentPlan(work)
  return [
    { label: 'Asked', pieces: work.asks.toSorted((a, b) => b.order - a.order).map((ask) => quotedAsk(ask, ask.text)) },
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
  const red = redRunsIn(work.tests)
  const isRed = new Set(red.map(({ command }) => command))
  const paths = (isEdited: boolean) => files.filter(({ edits }) => edits > 0 === isEdited).map(({ path }) => file(path))
  return [
    {
      label: 'Failing',
      pieces: red.map(({ command, totals, names }) => {
        const told = totals === undefined ? names : [totals, ...names]
        return `\`${command}\`${told.length === 0 ? '' : ` (${told.join(', ')})`}`
      }),
    },
    {
      label: 'Error',
      // As the block writes it: how it was solved is what had no room there.
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
    { label: 'Names', pieces: work.identifiers.map(({ name }) => name), isList: true },
    { label: 'Refs', pieces: work.refs.toReversed(), isList: true },
    { label: 'Remembered', pieces: checked.view.remembers.toReversed() },
    { label: 'Said', pieces: newestFirst(work.statements).map(({ text }) => `"${text}"`) },
  ]
}

const MARKS = / [✓~✗?]$/u

/** Told when it stood there whole: a piece that was cut is told again, to its end. */
function isTold(piece: string, shown: ReadonlySet<string>, together: string, isList: boolean): boolean {
  const plain = piece.replace(MARKS, '')
  return shown.has(plain) || (!isList && together.includes(plain.replace(/^"|"$/g, '')))
}

class Page {
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

/** The layer below the block: what it left out or cut short, first what was written and asked, then what was seen. */
export function renderRest(checked: CheckedView, options: RestOptions): Rest {
  const { budgetChars, redact } = options
  const header = redact(originLine(checked, budgetChars))
  const page = new Page(budgetChars - fenceOverhead({ heading: HEADING, notice: NOTICE }) - lineCost(header))
  const shown = new Set(options.shown)
  const together = options.shown.join('\n')
  const { written, sessionState } = checked.view
  for (const lines of [
    ...(written === undefined ? [] : [writtenLines(written)]),
    ...(sessionState === undefined ? [] : [sessionStateLines(sessionState)]),
  ]) {
    const exact = lines.map((line) => redact(line))
    if (!exact.every((line) => shown.has(line))) page.add(exact.map((line) => ({ exact: line })))
  }
  for (const { label, pieces, isList = false } of [...saidParts(checked), ...seenParts(checked)]) {
    const left = pieces.map((piece) => redact(piece)).filter((piece) => !isTold(piece, shown, together, isList))
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
