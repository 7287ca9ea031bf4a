import type { WorkSummary } from '../kernel/checkpoint.ts'
import type { SessionId } from '../kernel/id.ts'
import type { Injection } from '../kernel/injection.ts'
import type { Place } from '../kernel/project.ts'
import type { Session } from '../kernel/session.ts'
import type { Receipt, Standing } from '../kernel/start-outcome.ts'
import { reworkOf, watchedOf } from './repeated-work.ts'
import type { EpochTrace } from './trace.ts'
import { labelsOf, usageOf } from './usage.ts'

export interface EarlierWork {
  readonly sessions: readonly SessionId[]
  readonly work: WorkSummary
}

export interface ReceiptInput {
  readonly session: Session
  readonly place: Place
  readonly epoch: number
  readonly trace: EpochTrace
  /** What was told at and after this start, the oldest first; those that said nothing are left out. */
  readonly injections: readonly Injection[]
  readonly earlier?: EarlierWork
  readonly standingOf: (path: string) => Standing
}

function firstEditOf({ calls, prompts, startedAt }: EpochTrace): Pick<Receipt, 'callsToFirstEdit' | 'msToFirstEdit'> {
  const index = calls.findIndex(({ edits }) => edits.length > 0)
  const edit = calls[index]
  if (edit === undefined) return {}
  // A compaction in the middle of a turn goes on by itself: a prompt that comes later began nothing.
  const first = prompts[0]?.afterCalls === 0 ? prompts[0].at : startedAt
  const ms = Date.parse(edit.at) - Date.parse(first)
  // A clock that was set back between them tells no duration.
  return { callsToFirstEdit: index, ...(ms >= 0 ? { msToFirstEdit: ms } : {}) }
}

/** What followed one start, against what the earlier work had done. Pure: the same events give the same receipt. */
export function computeReceipt(input: ReceiptInput): Receipt {
  const { session, place, epoch, trace, injections, earlier, standingOf } = input
  const { files, commands, decisions } = watchedOf(trace)
  const uses = injections.map((injection) => usageOf(injection, trace))
  return {
    sessionId: session.id,
    sessionKey: session.key,
    harness: session.harness,
    projectId: place.projectId,
    worktree: place.worktree,
    epoch,
    ...(trace.source === undefined ? {} : { source: trace.source }),
    startedAt: trace.startedAt,
    startSeq: trace.startSeq,
    eventSeq: trace.eventSeq,
    isWarm: injections.some(({ kind }) => kind === 'recovery'),
    calls: trace.calls.length,
    filesRead: files.size,
    commandsRun: commands.size,
    decisionsMade: decisions.length,
    ...firstEditOf(trace),
    earlierSessions: earlier?.sessions ?? [],
    ...(earlier === undefined ? {} : { rework: reworkOf({ trace, earlier: earlier.work, injections, standingOf }) }),
    uses,
    labels: labelsOf(injections, uses, trace.calls.length),
  }
}
