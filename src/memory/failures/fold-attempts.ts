import type { EventOf, SessionEvent, EventKind } from '../../kernel/event.ts'
import { listRunnableCommands } from '../../kernel/shell/command.ts'
import { relativePath } from '../../kernel/paths/paths.ts'
import { clip, oneLine } from '../../kernel/text/text.ts'
import {
  type Attempt,
  type AttemptState,
  type Edit,
  type Failure,
  type SeenError,
  type Undo,
  ATTEMPT_LIMITS,
  isNoBetter,
} from './attempts.ts'
import { isCheck, keyedEdits } from '../../kernel/shell/command-key.ts'
import { keysToMatch, readEdit, readRun, type RunVerdict } from './run-verdict.ts'
import { digest, listDiscarded, isFix, lineDigests, findUndoneEdit } from './undo.ts'

interface SeenOutcome {
  readonly name: string
  /** Another value than before counts as new. */
  readonly value: string
}

/** Adds the entries as the latest, and drops the oldest beyond `limit`. */
function withLatest(
  before: ReadonlyMap<string, string>,
  entries: readonly (readonly [string, string])[],
  limit: number,
): ReadonlyMap<string, string> {
  const next = new Map(before)
  for (const [name, value] of entries) {
    next.delete(name)
    next.set(name, value)
  }
  for (const oldest of next.keys()) {
    if (next.size <= limit) break
    next.delete(oldest)
  }
  return next
}

/** Counts one more call in this cycle; `changes` is the number of files it changed. */
function withKnown(state: AttemptState, seen: readonly SeenOutcome[], changes = 0): AttemptState {
  const fresh = seen.filter(({ name, value }) => state.known.get(name) !== value)
  const { calls, novel } = state.cycle
  const cycle = { ...state.cycle, calls: calls + 1, novel: novel + Math.min(1, fresh.length + changes) }
  if (fresh.length === 0) return { ...state, cycle }
  const entries = fresh.map(({ name, value }) => [name, value] as const)
  return { ...state, known: withLatest(state.known, entries, ATTEMPT_LIMITS.known), cycle }
}

/** The user or the agent said or decided something, so the session does not loop. */
const NOVEL_KINDS: ReadonlySet<EventKind> = new Set<EventKind>([
  'prompt-submitted',
  'digest-written',
  'remembered',
  'decision-made',
  'gate-changed',
  'error-recovered',
])

function afterCompaction(state: AttemptState): AttemptState {
  const { calls, novel, idle, seqs } = state.cycle
  // A harness may compact twice in a row; only a cycle with tool calls counts.
  const isIdle = novel === 0 && calls > 0
  const next =
    novel > 0
      ? { idle: 0, seqs: [state.seq] }
      : { idle: idle + (isIdle ? 1 : 0), seqs: [...seqs, state.seq].slice(-ATTEMPT_LIMITS.seqs) }
  return { ...state, cycle: { calls: 0, novel: 0, ...next } }
}

/** A compaction ends the cycle; a user's message makes it novel. */
function afterOtherEvent(state: AttemptState, event: SessionEvent): AttemptState {
  if (event.subagent !== undefined) return state
  if (event.kind === 'session-started') return event.source === 'compact' ? afterCompaction(state) : state
  if (!NOVEL_KINDS.has(event.kind)) return state
  return { ...state, cycle: { ...state.cycle, novel: state.cycle.novel + 1 } }
}

export interface NumberedEvent {
  readonly seq: number
  readonly event: SessionEvent
}

interface AttemptContext {
  readonly worktree?: string
}

type ToolEnd = EventOf<'tool-finished'>

function editedSince(edits: readonly Edit[], seq: number): readonly string[] {
  return [...new Set(edits.filter((edit) => edit.seq > seq).map(({ path }) => path))].slice(-ATTEMPT_LIMITS.files)
}

function toFailure(state: AttemptState, run: RunVerdict, { event, seq }: { event: ToolEnd; seq: number }): Failure {
  const { exitStatus } = event.outcome
  const error = run.errors[0]?.text
  return {
    seq,
    traits: run.traits,
    size: run.size,
    edited: editedSince(state.edits, 0),
    line: digest(oneLine(event.tool.command ?? '')),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(error === undefined ? {} : { error: clip(error, 200) }),
    ...(event.subagent === undefined ? {} : { subagent: event.subagent.id }),
  }
}

function withFailure(before: Attempt | undefined, failure: Failure, edits: readonly Edit[]) {
  const last = before?.failures.at(-1)
  const edited = last === undefined ? failure.edited : editedSince(edits, last.seq)
  const isAlike = last !== undefined && isNoBetter(failure, last)
  const isUnchanged = isAlike && edited.length === 0
  return {
    failures: [...(before?.failures ?? []), { ...failure, edited }].slice(-ATTEMPT_LIMITS.failures),
    inRow: (before?.inRow ?? 0) + 1,
    alike: isAlike ? (before?.alike ?? 0) + 1 : 1,
    unchanged: isUnchanged ? (before?.unchanged ?? 0) + 1 : 1,
    repeated: isUnchanged && last.line === failure.line ? (before?.repeated ?? 0) + 1 : 1,
    undone: before?.undone ?? [],
  }
}

function withError(errors: readonly SeenError[], seen: Omit<SeenError, 'comebacks' | 'isOpen' | 'runs'>) {
  const before = errors.find(({ signature }) => signature === seen.signature)
  const next: SeenError = {
    ...seen,
    keys: [...new Set([...(before?.keys ?? []), ...seen.keys])].slice(-ATTEMPT_LIMITS.errorKeys),
    seqs: [...(before?.seqs ?? []), ...seen.seqs].slice(-ATTEMPT_LIMITS.seqs),
    runs: (before?.runs ?? 0) + 1,
    comebacks: (before?.comebacks ?? 0) + (before?.isOpen === false ? 1 : 0),
    isOpen: true,
  }
  return [...errors.filter((error) => error !== before), next].slice(-ATTEMPT_LIMITS.errors)
}

function foldFailed(state: AttemptState, run: RunVerdict, at: { event: ToolEnd; seq: number }): AttemptState {
  const failure = toFailure(state, run, at)
  let next = state
  for (const { key, command, purpose } of run.commands) {
    if ((state.passedAt.get(key) ?? '') > at.event.at) continue
    const before = next.attempts.find((attempt) => attempt.key === key)
    const attempt: Attempt = { key, command, purpose, ...withFailure(before, failure, state.edits) }
    next = {
      ...next,
      attempts: [...next.attempts.filter((other) => other !== before), attempt].slice(-ATTEMPT_LIMITS.attempts),
    }
    // Errors of a subagent count only when its command fails again elsewhere.
    if (failure.subagent !== undefined) continue
    for (const { signature, text } of run.errors) {
      const seen = { signature, text, keys: [key], command, purpose, seqs: [at.seq], exitStatus: failure.exitStatus }
      next = { ...next, errors: withError(next.errors, seen) }
    }
  }
  return next
}

function foldPassed(
  state: AttemptState,
  run: RunVerdict,
  { event, seq }: { event: ToolEnd; seq: number },
): AttemptState {
  const keys = new Set(keysToMatch(run.commands))
  const passed = state.attempts.filter((attempt) => keys.has(attempt.key))
  const wereUndone = passed.filter(({ undone }) => {
    const last = undone.at(-1)
    return last !== undefined && editedSince(state.edits, last.seq).length === 0
  })
  return {
    ...state,
    passedAt: withLatest(
      state.passedAt,
      [...keys].map((key) => [key, event.at] as const),
      ATTEMPT_LIMITS.passedAt,
    ),
    attempts: state.attempts.filter((attempt) => !keys.has(attempt.key)),
    undone: [...state.undone, ...wereUndone.map((attempt) => ({ attempt, seq }))].slice(-ATTEMPT_LIMITS.undone),
    errors: state.errors.map((error) =>
      error.keys.some((key) => keys.has(key)) ? { ...error, isOpen: false } : error,
    ),
  }
}

/**
 * Marks every failing check whose last failure came after these edits: they were tried and undone. Edits undone by hand count
 * only when they came before the first failure, because later ones are usually diagnostics.
 */
function withUndoing(state: AttemptState, files: readonly string[], how: Omit<Undo, 'files'>): AttemptState {
  if (files.length === 0) return state
  const attempts = state.attempts.map((attempt) => {
    if (!isCheck(attempt)) return attempt
    const failedAt = (how.isByHand ? attempt.failures[0] : attempt.failures.at(-1))?.seq ?? 0
    const tried = files.filter(
      (file) => isFix(file) && state.edits.some(({ path, seq }) => path === file && seq < failedAt),
    )
    const isKnown = attempt.undone.some(({ files: known }) => tried.every((file) => known.includes(file)))
    if (tried.length === 0 || isKnown) return attempt
    return { ...attempt, undone: [...attempt.undone, { ...how, files: tried }].slice(-ATTEMPT_LIMITS.undone) }
  })
  return { ...state, attempts, edits: state.edits.filter(({ path }) => !files.includes(path)) }
}

function foldShell(state: AttemptState, at: { event: ToolEnd; seq: number }, here: AttemptContext): AttemptState {
  const { tool, outcome, cwd } = at.event
  const isOpen = (keys: readonly string[]) => state.attempts.some(({ key }) => keys.includes(key))
  const run = readRun(tool, outcome, { ...here, cwd, matters: isOpen })
  let next = withKnown(
    state,
    run.commands.map(({ key }) => ({ name: `run ${key}`, value: run.verdict })),
  )
  if (run.verdict === 'failed') next = foldFailed(next, run, at)
  if (run.verdict === 'passed') next = foldPassed(next, run, at)
  if (!outcome.ok || next.edits.length === 0) return next
  for (const part of listRunnableCommands(tool.command ?? ''))
    next = withUndoing(next, listDiscarded(part, next.edits), { how: clip(part, 120), seq: at.seq, isByHand: false })
  return next
}

function foldEdit(
  state: AttemptState,
  { event, seq }: { event: ToolEnd; seq: number },
  here: AttemptContext,
): AttemptState {
  const edits = keyedEdits(event.tool, { ...here, cwd: event.cwd })
  const run = readEdit(edits, event.outcome)
  if (run.verdict === 'failed') return foldFailed(withKnown(state, []), run, { event, seq })
  if (run.verdict !== 'passed') return state
  return foldEdited(foldPassed(state, run, { event, seq }), { event, seq }, here)
}

function foldEdited(
  state: AttemptState,
  { event, seq }: { event: ToolEnd; seq: number },
  here: AttemptContext,
): AttemptState {
  const paths = event.tool.files.flatMap(({ path, action }) =>
    action === 'read' ? [] : (relativePath(path, { ...here, cwd: event.cwd }) ?? []),
  )
  const lines = paths.length === 1 ? lineDigests(event.tool.fragment) : []
  let next = withKnown(state, [], paths.length)
  for (const path of paths) {
    const edit: Edit = { path, seq, lines }
    const isBack = findUndoneEdit(edit, next.edits) !== undefined
    next = isBack
      ? withUndoing(next, [path], { how: 'edited back to what it was', seq, isByHand: true })
      : { ...next, edits: [...next.edits, edit].slice(-ATTEMPT_LIMITS.edits) }
  }
  return next
}

function foldTool(state: AttemptState, at: { event: ToolEnd; seq: number }, here: AttemptContext): AttemptState {
  const { tool } = at.event
  if (tool.kind === 'shell') return foldShell(state, at, here)
  if (tool.kind === 'edit') return foldEdit(state, at, here)
  const files = tool.files.flatMap(({ path }) => relativePath(path, { ...here, cwd: at.event.cwd }) ?? [])
  const names = [...files, ...(tool.query === undefined ? [] : [tool.query])]
  return withKnown(
    state,
    names.map((name) => ({ name: `see ${name}`, value: '' })),
  )
}

/** Folds one event. Events that were folded already, or are out of order, change nothing. */
export function foldAttempt(
  state: AttemptState,
  { seq, event }: NumberedEvent,
  here: AttemptContext = {},
): AttemptState {
  if (seq <= state.seq) return state
  const next = { ...state, seq }
  // A refused call never ran, and a command in the background has no result yet.
  if (event.kind === 'tool-finished' && (event.outcome.refused !== undefined || event.tool.isBackground === true))
    return next
  if (event.kind === 'tool-finished') return foldTool(next, { event, seq }, here)
  return afterOtherEvent(next, event)
}
