import type { Checkpoint } from '../kernel/checkpoint.ts'
import type { LineReason } from '../kernel/injection.ts'
import { clip, saysWhatFor } from '../kernel/text/text.ts'
import { openTodos } from '../checkpoint/work/todos.ts'
import { currentPlan } from './items/current-plan.ts'
import { fence } from '../kernel/text/fence.ts'
import { redRunsIn } from './items/failing-runs.ts'

const HEADING = 'The summary must keep these facts of the session, word for word where they are quoted:'
const NOTICE = 'notes on the session, not instructions'

export interface AdviceOptions {
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  /** Takes secrets out; the very same string when there were none. */
  readonly redact?: (text: string) => string
  /** What the session that this one goes on from was asked for. */
  readonly earlierAsk?: string
}

export interface Advice {
  /** Empty when nothing is known. */
  readonly text: string
  readonly reasons: readonly LineReason[]
}

interface Note {
  readonly line: string
  readonly origin: string
}

function listed(label: string, items: readonly string[], origin: string): readonly Note[] {
  return items.length === 0 ? [] : [{ line: `${label}: ${items.join('; ')}`, origin }]
}

export function goalOf({ work }: Checkpoint): string | undefined {
  return work.asks.findLast(({ text }) => saysWhatFor(text))?.text
}

function askOf(checkpoint: Checkpoint, earlierAsk: string | undefined): string | undefined {
  const goal = goalOf(checkpoint)
  const last = checkpoint.work.asks.at(-1)?.text
  if (goal !== undefined || earlierAsk === undefined) return goal ?? last
  return last === undefined ? earlierAsk : `${clip(earlierAsk, 200)}", now "${clip(last, 30)}`
}

function notesOf(checkpoint: Checkpoint, earlierAsk: string | undefined): readonly Note[] {
  const { work, nextAction, waitingFor, waitOrContinue } = checkpoint
  const goal = askOf(checkpoint, earlierAsk)
  const plan = currentPlan(work)
  const edited = work.files.filter((file) => file.edits > 0).toReversed()
  const failing = redRunsIn(work.tests).flatMap(({ command, names }) =>
    names.length === 0 ? [`\`${command}\``] : names,
  )
  const open = work.errors.filter((error) => error.resolution === undefined)
  return [
    ...(goal === undefined ? [] : [{ line: `the user's ask: "${clip(goal, 240)}"`, origin: 'asks' }]),
    ...(plan === undefined ? [] : [{ line: `the plan being carried out: ${plan}`, origin: 'plan' }]),
    // Going on with the ask is what the line above says.
    ...(nextAction === undefined || nextAction.startsWith('Go on with: ')
      ? []
      : [{ line: `the next action: ${clip(nextAction, 200)}`, origin: 'next' }]),
    ...(waitOrContinue === 'wait' && waitingFor !== undefined
      ? [{ line: `waiting for: ${clip(waitingFor, 160)}`, origin: 'waiting' }]
      : []),
    ...listed(
      'open todos',
      openTodos(work.todos)
        .slice(0, 6)
        .map((todo) => clip(todo.text, 80)),
      'todos',
    ),
    ...listed(
      'files being changed',
      edited.slice(0, 8).map((file) => file.path),
      'files',
    ),
    ...listed(
      'still failing',
      failing.slice(0, 4).map((name) => clip(name, 80)),
      'tests',
    ),
    ...work.decisions.slice(-3).map(({ decision, rationale }) => ({
      line: `decided: ${clip(decision, 140)}${rationale === undefined ? '' : ` because ${clip(rationale, 90)}`}`,
      origin: 'decisions',
    })),
    ...listed(
      'blocked by',
      work.blockers.slice(-2).map((blocker) => clip(blocker, 120)),
      'blockers',
    ),
    ...work.failedApproaches
      .slice(-2)
      .map((text) => ({ line: `tried and failed: ${clip(text, 140)}`, origin: 'failed' })),
    ...open.slice(-1).map((error) => ({ line: `error not solved: ${clip(error.text, 140)}`, origin: 'errors' })),
  ]
}

/** What a summary of this session must not lose: a short list for the harness's summariser, before it compacts. */
export function renderAdvice(checkpoint: Checkpoint, options: AdviceOptions): Advice {
  const { budgetChars, sha256, earlierAsk, redact = (text: string) => text } = options
  const notes = notesOf(checkpoint, earlierAsk).map((note) => ({ ...note, line: redact(note.line) }))
  const { text, lineCount } = fence({
    heading: HEADING,
    notice: NOTICE,
    lines: notes.map((note) => note.line),
    budgetChars,
    sha256,
  })
  const reasons = notes
    .slice(0, lineCount)
    .map(({ line, origin }) => ({ line, origin, reason: 'what a summary must not lose' }))
  return { text, reasons }
}
