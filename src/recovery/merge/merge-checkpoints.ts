import type { SessionState } from '../../kernel/ports/runtime.ts'
import {
  type Checkpoint,
  type CheckpointTrigger,
  type NamedFile,
  type PathChance,
  type WorkSummary,
  type Written,
  EMPTY_WORK,
} from '../../kernel/checkpoint.ts'
import type { CheckpointId, SessionId, SessionKey } from '../../kernel/id.ts'
import type { DirtySummary } from '../../kernel/project.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

/** What an earlier session left red is no news any more once a later one saw the same command go well. */
function settledBy(newer: WorkSummary, older: WorkSummary): WorkSummary {
  const wentWell = newer.commands.filter(({ ok }) => ok).map(({ command }) => command)
  if (wentWell.length === 0) return older
  const green = new Set(wentWell)
  const isAboutGreen = (text: string) => wentWell.some((command) => text.startsWith(`\`${command}\` failed `))
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

/** Where a recovery comes from, as its first line names it. */
export interface RecoveryOrigin {
  readonly harness: string
  readonly sessionKey: SessionKey
  readonly trigger: CheckpointTrigger
  readonly createdAt: string
  /** When what it says was so: when it was made, unless that was long after the work had ended. */
  readonly trueAt: string
  readonly worktree: string
  readonly branch?: string
  readonly head?: string
  readonly name?: string
  readonly dirty?: DirtySummary
  /** Set where it came from another machine: whose key signed for it. */
  readonly handedOverBy?: string
  /** The folder it was in, where that was moved since to where it is told. */
  readonly movedFrom?: string
}

export interface WrittenNote extends Written {
  /** When it was kept, or earlier. */
  readonly at: string
  /** The user has asked for something else since. */
  readonly isOvertaken: boolean
}

/** What a session's checkpoints say together: the newer wins, the older fill the gaps. */
export interface RecoveryView {
  /** Absent when there was no checkpoint at all. */
  readonly origin?: RecoveryOrigin
  readonly sources: readonly CheckpointId[]
  /** Written by the agent or the user for this very purpose. */
  readonly written?: WrittenNote
  readonly sessionState?: SessionState
  readonly nextAction?: string
  readonly waitOrContinue: 'wait' | 'continue'
  readonly waitingFor?: string
  readonly resumeInstructions?: string
  readonly remembers: readonly string[]
  readonly work: WorkSummary
}

type Ordered = { readonly lastOrder: number }

function union<T>(newer: readonly T[], older: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Set(newer.map(keyOf))
  return [...older.filter((item) => !known.has(keyOf(item))), ...newer]
}

function shifted<T extends Ordered>(items: readonly T[], by: number): readonly T[] {
  return by === 0 ? items : items.map((item) => ({ ...item, lastOrder: item.lastOrder + by }))
}

/** What an earlier session was about counts for less than what the last one was about. */
function fainter<T extends { readonly chance?: PathChance }>(file: T, by: number): T {
  if (by === 0 || file.chance === undefined) return file
  const { opened, edited } = file.chance
  const { earlierSession } = WEIGHTS.path
  return { ...file, chance: { opened: opened * earlierSession, edited: edited * earlierSession } }
}

/** An older session's order ends where the newer one's begins. */
function rebased(work: WorkSummary, by: number): WorkSummary {
  return {
    ...work,
    asks: work.asks.map((ask) => ({ ...ask, order: ask.order + by })),
    files: shifted(work.files, by).map(({ lastEditOrder, ...file }) => ({
      ...fainter(file, by),
      ...(lastEditOrder === undefined ? {} : { lastEditOrder: lastEditOrder + by }),
    })),
    named: shifted(work.named ?? [], by).map((file) => fainter(file, by)),
    commands: shifted(work.commands, by),
    tests: shifted(work.tests, by),
    decisions: shifted(work.decisions, by),
    errors: shifted(work.errors, by),
    statements: shifted(work.statements, by),
    claims: shifted(work.claims ?? [], by),
    ...(work.plan === undefined ? {} : { plan: { ...work.plan, lastOrder: work.plan.lastOrder + by } }),
  }
}

/** What one session only named, another may have opened. */
function unopened(named: readonly NamedFile[], works: readonly WorkSummary[]): readonly NamedFile[] {
  const opened = new Set(works.flatMap((work) => work.files.map((file) => file.path)))
  return named.filter((file) => !opened.has(file.path))
}

interface Merging {
  readonly newer: WorkSummary
  readonly older: WorkSummary
  /** The newer was folded on from the older: an empty list there means done, not unknown. */
  readonly isContinuation: boolean
}

/** Results of tests stand until the same tests ran again. */
function withOlderResults({ newer, older, isContinuation }: Merging): WorkSummary['tests'] {
  if (isContinuation) return newer.tests
  const ranAgain = new Set(newer.commands.map(({ command }) => command))
  const known = new Set(newer.tests.map(({ command }) => command))
  return [...older.tests.filter(({ command }) => !known.has(command) && !ranAgain.has(command)), ...newer.tests]
}

/** What an earlier session changed is work in flight still when a later one only read it. */
function withEarlierEdits({ newer, older, isContinuation }: Merging): WorkSummary['files'] {
  if (isContinuation) return newer.files
  const before = new Map(older.files.map((file) => [file.path, file]))
  return newer.files.map((file) => {
    const earlier = before.get(file.path)
    if (earlier === undefined || earlier.edits === 0 || earlier.action === 'deleted' || file.edits > 0) return file
    const { action, edits, lastEditOrder = earlier.lastOrder } = earlier
    return file.action === 'read' ? { ...file, action, edits, lastEditOrder } : file
  })
}

function merged({ newer, older: before, isContinuation }: Merging): WorkSummary {
  const older = isContinuation ? before : settledBy(newer, before)
  const fill = <T>(mine: readonly T[], theirs: readonly T[]): readonly T[] =>
    mine.length > 0 || isContinuation ? mine : theirs
  const plan = newer.plan ?? (isContinuation ? undefined : older.plan)
  return {
    asks: union(newer.asks, older.asks, (ask) => ask.text),
    files: union(withEarlierEdits({ newer, older, isContinuation }), older.files, (file) => file.path),
    named: unopened(
      union(newer.named ?? [], older.named ?? [], (file) => file.path),
      [newer, older],
    ),
    commands: union(newer.commands, older.commands, (run) => run.command),
    decisions: union(newer.decisions, older.decisions, (record) => record.decision),
    refs: union(newer.refs, older.refs, (ref) => ref),
    failedApproaches: isContinuation
      ? newer.failedApproaches
      : union(newer.failedApproaches, older.failedApproaches, (text) => text),
    tests: withOlderResults({ newer, older, isContinuation }),
    errors: fill(newer.errors, older.errors),
    todos: fill(newer.todos, older.todos),
    ...(plan === undefined ? {} : { plan }),
    blockers: fill(newer.blockers, older.blockers),
    identifiers: fill(newer.identifiers, older.identifiers),
    statements: newer.statements.length > 0 ? newer.statements : older.statements,
    claims: fill(newer.claims ?? [], older.claims ?? []),
    lastOrder: Math.max(newer.lastOrder, older.lastOrder),
  }
}

/** Before checkpoints kept it byte for byte, its first sentences stood where the summary stands. */
function keptAs({ written, trigger, summary, work }: Checkpoint): Written | undefined {
  if (written !== undefined) return written
  const isWritten = trigger === 'agent' || trigger === 'explicit'
  return isWritten ? { summary, decisions: [], blockers: [], order: work.lastOrder } : undefined
}

/** "Go on" asks for nothing else. */
const NEW_ASK_CHARS = 25

/** What was written down for the next session stands until the user asked for something else. */
function writtenOf(checkpoints: readonly Checkpoint[]): WrittenNote | undefined {
  for (const [index, checkpoint] of checkpoints.entries()) {
    const written = keptAs(checkpoint)
    if (written === undefined) continue
    const isOvertaken = checkpoints
      .slice(0, index + 1)
      .some(({ sessionId, work }) =>
        work.asks.some(
          (ask) =>
            ask.text.length >= NEW_ASK_CHARS && (sessionId !== checkpoint.sessionId || ask.order > written.order),
        ),
      )
    // What is not kept byte for byte is a first sentence: no use once it is old.
    if (isOvertaken && checkpoint.written === undefined) return undefined
    return { ...written, at: checkpoint.createdAt, isOvertaken }
  }
  return undefined
}

function originOf(checkpoint: Checkpoint): RecoveryOrigin {
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

function outlookOf(
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

/** Newest first, as the store lists them; they may come from several sessions of one lineage. */
export function foldCheckpoints(checkpoints: readonly Checkpoint[]): RecoveryView {
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
    work = merged({ newer: work, older: rebased(checkpoint.work, sessionShift), isContinuation })
  }
  return {
    origin: newest === undefined ? undefined : originOf(newest),
    sources: checkpoints.map((checkpoint) => checkpoint.id),
    written: writtenOf(checkpoints),
    ...outlookOf(checkpoints),
    remembers: [...new Set(checkpoints.toReversed().flatMap((checkpoint) => checkpoint.recentRemembers))].slice(-10),
    work,
  }
}
