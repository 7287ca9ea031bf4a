import type { SessionState } from '../../kernel/ports/runtime.ts'
import {
  type Checkpoint,
  type CheckpointTrigger,
  type InFlightWork,
  type WorkSummary,
  type AgentNote,
  EMPTY_WORK,
  isEmptyNote,
} from '../../kernel/checkpoint.ts'
import type { CheckpointId, SessionId, SessionKey } from '../../kernel/id.ts'
import type { DirtySummary } from '../../kernel/location.ts'
import { isAboutFailure } from '../../checkpoint/work/fold-run.ts'
import type { WorkChoice } from '../choice/work-choice.ts'

/** Drops failures of an earlier session whose command succeeded in a later one. */
function dropSettled(newer: WorkSummary, older: WorkSummary): WorkSummary {
  const wentWell = newer.commands.filter(({ ok }) => ok).map(({ command }) => command)
  if (wentWell.length === 0) return older
  const green = new Set(wentWell)
  const isAboutGreen = (text: string) => wentWell.some((command) => isAboutFailure(text, command))
  return {
    ...older,
    errors: older.errors.map((error) =>
      error.resolution === undefined && error.command !== undefined && green.has(error.command)
        ? { ...error, resolution: 'went away in a later session' }
        : error,
    ),
    tests: older.tests.filter(({ command }) => !green.has(command)),
    failedApproaches: older.failedApproaches.filter((text) => !isAboutGreen(text)),
    claims: (older.claims ?? []).filter(({ contradictedBy = '' }) => !isAboutGreen(contradictedBy)),
  }
}

export interface RecoveryOrigin {
  readonly harness: string
  readonly sessionKey: SessionKey
  readonly trigger: CheckpointTrigger
  readonly createdAt: string
  /** When its content was true: when the work ended, for a late checkpoint. */
  readonly trueAt: string
  readonly worktree: string
  readonly branch?: string
  readonly head?: string
  readonly name?: string
  readonly dirty?: DirtySummary
  /** Set if it came from another machine: the fingerprint of the signing key. */
  readonly handedOverBy?: string
  /** The former folder, if the checkout was moved since. */
  readonly movedFrom?: string
}

export interface CarriedNote extends AgentNote {
  /** When it was stored, or earlier. */
  readonly at: string
  /** The user has requested something else since. */
  readonly isOvertaken: boolean
}

/** Merged checkpoints: the newer wins, the older fill the gaps. */
export interface RecoveryView {
  /** Absent without checkpoints. */
  readonly origin?: RecoveryOrigin
  readonly sources: readonly CheckpointId[]
  /** The note for the next session. */
  readonly written?: CarriedNote
  readonly sessionState?: SessionState
  /** Absent for a transcript and a merge without a selection. */
  readonly choice?: WorkChoice
  readonly nextAction?: string
  readonly waitOrContinue: 'wait' | 'continue'
  readonly waitingFor?: string
  readonly resumeInstructions?: string
  /** Of sessions before the one that is continued: a port stays taken until its server ends. */
  readonly earlierServers?: readonly InFlightWork[]
  readonly remembers: readonly string[]
  readonly work: WorkSummary
}

type OrderedEntry = { readonly lastOrder: number }

function union<T>(newer: readonly T[], older: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Set(newer.map(keyOf))
  return [...older.filter((item) => !known.has(keyOf(item))), ...newer]
}

function shifted<T extends OrderedEntry>(items: readonly T[], by: number): readonly T[] {
  return by === 0 ? items : items.map((item) => ({ ...item, lastOrder: item.lastOrder + by }))
}

function moved<T extends { readonly order: number }>(items: readonly T[], by: number): readonly T[] {
  return by === 0 ? items : items.map((item) => ({ ...item, order: item.order + by }))
}

/** An older session's order ends where the newer one's begins. */
function shiftOrder(work: WorkSummary, by: number): WorkSummary {
  return {
    ...work,
    asks: work.asks.map((request) => ({ ...request, order: request.order + by })),
    files: shifted(work.files, by).map(({ lastEditOrder, ...file }) => ({
      ...file,
      ...(lastEditOrder === undefined ? {} : { lastEditOrder: lastEditOrder + by }),
    })),
    commands: shifted(work.commands, by),
    tests: shifted(work.tests, by),
    decisions: shifted(work.decisions, by),
    errors: shifted(work.errors, by),
    statements: shifted(work.statements, by),
    claims: shifted(work.claims ?? [], by),
    dialogue: moved(work.dialogue ?? [], by),
    checks: moved(work.checks ?? [], by),
    commits: moved(work.commits ?? [], by),
    inFlight: moved(work.inFlight ?? [], by),
    ...(work.lastEditOrder === undefined ? {} : { lastEditOrder: work.lastEditOrder + by }),
    ...(work.todosOrder === undefined ? {} : { todosOrder: work.todosOrder + by }),
    ...(work.plan === undefined ? {} : { plan: { ...work.plan, lastOrder: work.plan.lastOrder + by } }),
  }
}

interface MergeInput {
  readonly newer: WorkSummary
  readonly older: WorkSummary
  /** The newer continues the older: an empty list means done, not unknown. */
  readonly isContinuation: boolean
}

/** Test results are valid until the same tests ran again. */
function withOlderResults({ newer, older, isContinuation }: MergeInput): WorkSummary['tests'] {
  if (isContinuation) return newer.tests
  const ranAgain = new Set(newer.commands.map(({ command }) => command))
  const known = new Set(newer.tests.map(({ command }) => command))
  return [...older.tests.filter(({ command }) => !known.has(command) && !ranAgain.has(command)), ...newer.tests]
}

/** Edits of an earlier session count for a file that the later one only read. */
function withEarlierEdits({ newer, older, isContinuation }: MergeInput): WorkSummary['files'] {
  if (isContinuation) return newer.files
  const before = new Map(older.files.map((file) => [file.path, file]))
  return newer.files.map((file) => {
    const earlier = before.get(file.path)
    if (earlier === undefined || earlier.edits === 0 || earlier.action === 'deleted' || file.edits > 0) return file
    const { action, edits, lastEditOrder = earlier.lastOrder } = earlier
    return file.action === 'read' ? { ...file, action, edits, lastEditOrder } : file
  })
}

function withLastEdit(newer: WorkSummary, older: WorkSummary): Pick<WorkSummary, 'lastEditOrder'> {
  const lastEditOrder = newer.lastEditOrder ?? older.lastEditOrder
  return lastEditOrder === undefined ? {} : { lastEditOrder }
}

function withTodosOrder(newer: WorkSummary, older: WorkSummary): Pick<WorkSummary, 'todosOrder'> {
  const { todosOrder } = newer.todos.length > 0 ? newer : older
  return todosOrder === undefined ? {} : { todosOrder }
}

function mergeWork({ newer, older: before, isContinuation }: MergeInput): WorkSummary {
  const older = isContinuation ? before : dropSettled(newer, before)
  const fill = <T>(mine: readonly T[], theirs: readonly T[]): readonly T[] =>
    mine.length > 0 || isContinuation ? mine : theirs
  const plan = newer.plan ?? (isContinuation ? undefined : older.plan)
  return {
    asks: union(newer.asks, older.asks, (request) => request.text),
    files: union(withEarlierEdits({ newer, older, isContinuation }), older.files, (file) => file.path),
    commands: union(newer.commands, older.commands, (run) => run.command),
    decisions: union(newer.decisions, older.decisions, (record) => record.decision),
    refs: union(newer.refs, older.refs, (ref) => ref),
    failedApproaches: isContinuation
      ? newer.failedApproaches
      : union(newer.failedApproaches, older.failedApproaches, (text) => text),
    tests: withOlderResults({ newer, older, isContinuation }),
    errors: fill(newer.errors, older.errors),
    todos: fill(newer.todos, older.todos),
    ...withTodosOrder(newer, older),
    ...(plan === undefined ? {} : { plan }),
    blockers: fill(newer.blockers, older.blockers),
    statements: newer.statements.length > 0 ? newer.statements : older.statements,
    claims: fill(newer.claims ?? [], older.claims ?? []),
    dialogue: isContinuation ? (newer.dialogue ?? []) : [...(older.dialogue ?? []), ...(newer.dialogue ?? [])],
    checks: union(newer.checks ?? [], isContinuation ? [] : (older.checks ?? []), ({ command }) => command),
    commits: union(newer.commits ?? [], isContinuation ? [] : (older.commits ?? []), ({ subject }) => subject),
    inFlight: newer.inFlight ?? [],
    ...(newer.steps === undefined ? {} : { steps: newer.steps }),
    ...(newer.edits === undefined ? {} : { edits: newer.edits }),
    ...(newer.gitStatus === undefined ? {} : { gitStatus: newer.gitStatus }),
    ...(newer.merge === undefined ? {} : { merge: newer.merge }),
    ...(newer.pullRequest === undefined ? {} : { pullRequest: newer.pullRequest }),
    ...(newer.lastPushOrder === undefined ? {} : { lastPushOrder: newer.lastPushOrder }),
    ...withLastEdit(newer, older),
    lastOrder: Math.max(newer.lastOrder, older.lastOrder),
  }
}

/** Older checkpoints have only the note's first sentences, as their summary. */
function readNote({ written, trigger, summary, work }: Checkpoint): AgentNote | undefined {
  if (written !== undefined) return written
  const isWritten = trigger === 'agent' || trigger === 'explicit'
  return isWritten ? { summary, decisions: [], blockers: [], order: work.lastOrder } : undefined
}

/** "Go on" is not a new request. */
const NEW_ASK_CHARS = 25

/** The newest note; overtaken once the user requested something else. */
function findNote(checkpoints: readonly Checkpoint[]): CarriedNote | undefined {
  for (const [index, checkpoint] of checkpoints.entries()) {
    const written = readNote(checkpoint)
    if (written === undefined || isEmptyNote(written)) continue
    const isOvertaken = checkpoints
      .slice(0, index + 1)
      .some(({ sessionId, work }) =>
        work.asks.some(
          (request) =>
            request.text.length >= NEW_ASK_CHARS &&
            (sessionId !== checkpoint.sessionId || request.order > written.order),
        ),
      )
    // An overtaken note without its full text is useless.
    if (isOvertaken && checkpoint.written === undefined) return undefined
    return { ...written, at: checkpoint.createdAt, isOvertaken }
  }
  return undefined
}

function toOrigin(checkpoint: Checkpoint): RecoveryOrigin {
  const { harness, sessionKey, trigger, createdAt, workEndedAt, place, name, dirty, handedOverBy } = checkpoint
  return {
    harness,
    sessionKey,
    trigger,
    createdAt,
    trueAt: workEndedAt ?? createdAt,
    worktree: place.worktree,
    branch: place.branch,
    head: place.head,
    name,
    dirty,
    ...(handedOverBy === undefined ? {} : { handedOverBy }),
  }
}

function mergeNextAction(
  checkpoints: readonly Checkpoint[],
): Pick<RecoveryView, 'nextAction' | 'waitOrContinue' | 'waitingFor' | 'resumeInstructions'> {
  const [newest] = checkpoints
  const speaking = checkpoints.find((one) => one.nextAction !== undefined || one.waitingFor !== undefined) ?? newest
  return {
    nextAction: speaking?.nextAction,
    waitOrContinue: speaking?.waitOrContinue ?? 'continue',
    waitingFor: speaking?.waitingFor,
    resumeInstructions: newest?.resumeInstructions,
  }
}

/** By the newest checkpoint of each earlier session, one for each port. */
function listEarlierServers([newest, ...older]: readonly Checkpoint[]): readonly InFlightWork[] {
  const seen = new Set([newest?.sessionId])
  const ports = new Set(newest?.work.inFlight?.map(({ port }) => port))
  return older.flatMap(({ sessionId, work }) => {
    if (seen.has(sessionId)) return []
    seen.add(sessionId)
    const servers = (work.inFlight ?? []).filter(({ port }) => port !== undefined && !ports.has(port))
    for (const { port } of servers) ports.add(port)
    return servers
  })
}

/** Newest first, as the store lists them; they may come from several sessions of one lineage. */
export function mergeCheckpoints(checkpoints: readonly Checkpoint[]): RecoveryView {
  const [newest] = checkpoints
  let work = newest?.work ?? EMPTY_WORK
  let session: SessionId | undefined = newest?.sessionId
  let floor = 0
  let sessionShift = 0
  for (const checkpoint of checkpoints.slice(1)) {
    const isSameSession = checkpoint.sessionId === session
    if (!isSameSession) {
      session = checkpoint.sessionId
      sessionShift = floor - checkpoint.work.lastOrder
      floor = sessionShift
    }
    const isContinuation =
      isSameSession && work.lastOrder >= checkpoint.work.lastOrder + sessionShift && work.lastOrder > 0
    work = mergeWork({ newer: work, older: shiftOrder(checkpoint.work, sessionShift), isContinuation })
  }
  const earlierServers = listEarlierServers(checkpoints)
  return {
    origin: newest === undefined ? undefined : toOrigin(newest),
    sources: checkpoints.map((checkpoint) => checkpoint.id),
    written: findNote(checkpoints),
    ...mergeNextAction(checkpoints),
    ...(earlierServers.length > 0 && { earlierServers }),
    remembers: [...new Set(checkpoints.toReversed().flatMap((checkpoint) => checkpoint.recentRemembers))].slice(-10),
    work,
  }
}
