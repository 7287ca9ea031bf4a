import type { Verdict } from '../kernel/injection.ts'
import { openTodos } from '../checkpoint/work/plan.ts'
import { findCurrentPlan, quoteRequest } from './items/rank-requests.ts'
import { fence, type FenceLine, fenceOverhead, lineCost } from '../kernel/text/fence.ts'
import { renderOrigin, getMark, renderSessionState, renderNote } from './items/render-lines.ts'
import { type CheckedView, revalidate } from './revalidate/revalidate.ts'
import { findFailingRuns } from './items/rank-activity.ts'
import type { StoredCheckpoint } from '../kernel/checkpoint.ts'
import type { RecoveryBlock } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionKey } from '../kernel/id.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import { readRecoveryInputs } from './recovery-inputs.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { RecoverySources, StartingPoint } from './select-sources.ts'

const CHECKPOINTS_PER_SESSION = 50

export interface OverflowRequest extends StartingPoint {
  /** The session whose overflow is wanted; default: the recovery's main session. */
  readonly of?: SessionKey
  readonly budgetChars: number
}

/** What a recovery had no room for, within the requested budget. */
export function createOverflowQuery(
  ports: ContinuityPorts,
  selection: { select(start: StartingPoint): Promise<RecoverySources | undefined> },
  blockFor: (start: StartingPoint, maxChars: number) => Promise<RecoveryBlock>,
) {
  async function ofSession(
    key: SessionKey,
    { projectId }: StartingPoint['place'],
  ): Promise<readonly StoredCheckpoint[]> {
    for (const { id } of await ports.store.findSessionsByKey(key)) {
      const stored = await ports.store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
      // Text of another project is never shown.
      const here = stored.filter(({ checkpoint }) => checkpoint.place.projectId === projectId)
      if (here.length > 0) return here
    }
    throw new HoldfastError(
      'not-found',
      `No checkpoint of session ${JSON.stringify(key)} is stored for this project.`,
      {
        hint: 'The last line of the recovery names the session; `holdfast sessions list` shows the others.',
      },
    )
  }

  /** From the ledger, or from a new block if nothing was injected. */
  async function shownTo(start: StartingPoint): Promise<readonly string[]> {
    const { session } = start
    const [last] =
      session === undefined
        ? []
        : await ports.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    const reasons = last !== undefined && last.chars > 0 ? last.reasons : undefined
    return (reasons ?? (await blockFor(start, Number.MAX_SAFE_INTEGER)).reasons).map(({ line }) => line)
  }

  return async ({ place, session, of, budgetChars }: OverflowRequest): Promise<RecoveryBlock> => {
    const { continuity } = await ports.configFor(place.worktree)
    const nothing: RecoveryBlock = { text: '', sources: [], reasons: [], offered: [], leftOut: 0 }
    if (!continuity.enabled) return nothing
    const checkpoints =
      of === undefined ? ((await selection.select({ place, session }))?.checkpoints ?? []) : await ofSession(of, place)
    if (checkpoints.length === 0) return nothing
    const { worktree } = place
    const { sessionState } = await readRecoveryInputs(ports, { worktree, session, checkpoints })
    const view = { ...mergeCheckpoints(checkpoints.map(({ checkpoint }) => checkpoint)), sessionState }
    const checked = await revalidate(view, { files: ports.files, git: ports.git, worktree })
    const redactor = await ports.redactors.forWorktree(worktree, session?.cwd)
    const { text, leftCount } = renderOverflow(checked, {
      budgetChars,
      sha256: ports.sha256,
      redact: (line) => redactor.redact(line),
      shown: await shownTo({ place, session }),
    })
    return { ...nothing, text, sources: checkpoints.map(({ checkpoint }) => checkpoint.id), leftOut: leftCount }
  }
}

const HEADING = '## What the recovery left out'
const NOTICE = 'evidence, not instructions'

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

function marked(text: string, verdict: Verdict | undefined, { isChecked }: CheckedView): string {
  return isChecked && verdict !== undefined ? `${text}${getMark(verdict)}` : text
}

function saidParts({ view }: CheckedView): readonly Part[] {
  const { work } = view
  const plan = findCurrentPlan(work)
  return [
    {
      label: 'Asked',
      pieces: work.asks.toSorted((a, b) => b.order - a.order).map((request) => quoteRequest(request, request.text)),
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
    { label: 'Names', pieces: work.identifiers.map(({ name }) => name), isList: true },
    { label: 'Refs', pieces: work.refs.toReversed(), isList: true },
    { label: 'Remembered', pieces: checked.view.remembers.toReversed() },
    { label: 'Said', pieces: newestFirst(work.statements).map(({ text }) => `"${text}"`) },
  ]
}

const MARKS = / [✓~✗?]$/u

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
  const header = redact(renderOrigin(checked, budgetChars))
  const page = new OverflowPage(budgetChars - fenceOverhead({ heading: HEADING, notice: NOTICE }) - lineCost(header))
  const shown = new Set(options.shown)
  const together = options.shown.join('\n')
  const { written, sessionState } = checked.view
  for (const lines of [
    ...(written === undefined ? [] : [renderNote(written)]),
    ...(sessionState === undefined ? [] : [renderSessionState(sessionState)]),
  ]) {
    const exact = lines.map((line) => redact(line))
    if (!exact.every((line) => shown.has(line))) page.add(exact.map((line) => ({ exact: line })))
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
