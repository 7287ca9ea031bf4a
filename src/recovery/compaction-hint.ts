import type { Checkpoint } from '../kernel/checkpoint.ts'
import { type LineReason, type InjectionText, createInjection } from '../kernel/injection.ts'
import { clip, isSubstantiveRequest } from '../kernel/text/text.ts'
import { openTodos } from '../checkpoint/work/plan.ts'
import { findCurrentPlan } from './current-plan.ts'
import { fence } from '../kernel/text/fence.ts'
import { continueRequest } from '../checkpoint/next-action.ts'
import { findFailingRuns } from './failing-runs.ts'
import type { Session } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

const ADVICE_BUDGET_CHARS = 1_500

/** The hint for the harness's summariser before it compacts; undefined if nothing is known. */
export type RequestCompactionHint = (session: Session, maxChars: number) => Promise<InjectionText | undefined>

export function createCompactionHintRequest(
  ports: ContinuityPorts,
  checkpointer: Pick<Checkpointer, 'checkpoint'>,
): RequestCompactionHint {
  /** The request of the session that this one continues. */
  async function earlierRequest({ continues, place }: Session): Promise<string | undefined> {
    if (continues === undefined) return undefined
    const [before] = await ports.store.listCheckpoints({ sessionId: continues, limit: 1 })
    const isHere = before?.checkpoint.place.projectId === place?.projectId
    return before !== undefined && isHere ? findGoal(before.checkpoint) : undefined
  }

  return async (session, maxChars) => {
    if (session.place === undefined) return undefined
    // Recording the event requested this checkpoint already; a second request waits for it.
    await checkpointer.checkpoint(session.id, 'pre_compaction')
    const [newest] = await ports.store.listCheckpoints({ sessionId: session.id, limit: 1 })
    // Checkpoints of the session's former project do not belong here.
    if (newest?.checkpoint.place.projectId !== session.place.projectId) return undefined
    const redactor = await ports.redactors.forWorktree(session.place.worktree, session.cwd)
    const asked = findGoal(newest.checkpoint) === undefined ? await earlierRequest(session) : undefined
    const { text, reasons } = renderCompactionHint(newest.checkpoint, {
      earlierRequest: asked,
      budgetChars: Math.min(ADVICE_BUDGET_CHARS, maxChars),
      sha256: ports.sha256,
      redact: (line) => redactor.redact(line),
    })
    if (text === '') return undefined
    return createInjection(ports, session, 'compaction-advice', { text, sources: [newest.checkpoint.id], reasons })
  }
}

const HEADING = 'The summary must keep these facts of the session, word for word where they are quoted:'
const NOTICE = 'notes on the session, not instructions'

export interface CompactionHintOptions {
  readonly budgetChars: number
  readonly sha256: (text: string) => string
  /** Removes secrets; returns the same string if there are none. */
  readonly redact?: (text: string) => string
  /** The request of the session that this one continues. */
  readonly earlierRequest?: string
}

export interface CompactionHint {
  /** Empty when nothing is known. */
  readonly text: string
  readonly reasons: readonly LineReason[]
}

interface Fact {
  readonly line: string
  readonly origin: string
}

function listed(label: string, items: readonly string[], origin: string): readonly Fact[] {
  return items.length === 0 ? [] : [{ line: `${label}: ${items.join('; ')}`, origin }]
}

function findGoal({ work }: Checkpoint): string | undefined {
  return work.asks.findLast(({ text }) => isSubstantiveRequest(text))?.text
}

function findRequest(checkpoint: Checkpoint, earlierRequest: string | undefined): string | undefined {
  const goal = findGoal(checkpoint)
  const last = checkpoint.work.asks.at(-1)?.text
  if (goal !== undefined || earlierRequest === undefined) return goal ?? last
  return last === undefined ? earlierRequest : `${clip(earlierRequest, 200)}", now "${clip(last, 30)}`
}

function listFacts(checkpoint: Checkpoint, earlierRequest: string | undefined): readonly Fact[] {
  const { work, nextAction, waitingFor, waitOrContinue } = checkpoint
  const goal = findRequest(checkpoint, earlierRequest)
  const plan = findCurrentPlan(work)
  const edited = work.files.filter((file) => file.edits > 0).toReversed()
  const failing = findFailingRuns(work.tests).flatMap(({ command, names }) =>
    names.length === 0 ? [`\`${command}\``] : names,
  )
  const open = work.errors.filter((error) => error.resolution === undefined)
  return [
    ...(goal === undefined ? [] : [{ line: `the user's ask: "${clip(goal, 240)}"`, origin: 'asks' }]),
    ...(plan === undefined ? [] : [{ line: `the plan being carried out: ${plan}`, origin: 'plan' }]),
    // The line above says the same.
    ...(nextAction === undefined || work.asks.some(({ text }) => continueRequest(text) === nextAction)
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

/** A short list of facts that the harness's summariser must not lose. */
export function renderCompactionHint(checkpoint: Checkpoint, options: CompactionHintOptions): CompactionHint {
  const { budgetChars, sha256, earlierRequest, redact = (text: string) => text } = options
  const notes = listFacts(checkpoint, earlierRequest).map((note) => ({ ...note, line: redact(note.line) }))
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
