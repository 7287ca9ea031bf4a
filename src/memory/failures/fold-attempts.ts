import type { EventOf, SessionEvent, EventKind } from '../../kernel/event.ts'
import { runnableParts } from '../../kernel/shell/command.ts'
import { relativePath } from '../../kernel/paths/paths.ts'
import { clip, oneLine } from '../../kernel/text/text.ts'
import {
  type Attempt,
  type AttemptState,
  type Edit,
  type Failure,
  type SeenError,
  type Undoing,
  ATTEMPT_LIMITS,
  isNoBetter,
} from './attempts.ts'
import { isCheck, keyedEdits } from '../../kernel/shell/command-key.ts'
import { keysToMatch, readEdit, readRun, type RunVerdict } from './run-verdict.ts'
import { digest, discardedBy, isFix, lineDigests, undoneBy } from './undo.ts'

interface Known {
  readonly name: string
  /** How it went; another outcome than before is news. */
  readonly value: string
}

/** The entries, latest last; the oldest go when there are more than `limit`. */
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

/** One call more in this round; `changes` counts what it changed for certain. */
function withKnown(state: AttemptState, seen: readonly Known[], changes = 0): AttemptState {
  const fresh = seen.filter(({ name, value }) => state.known.get(name) !== value)
  const { round } = state
  const counted = { ...round, calls: round.calls + 1, novel: round.novel + Math.min(1, fresh.length + changes) }
  if (fresh.length === 0) return { ...state, round: counted }
  const entries = fresh.map(({ name, value }) => [name, value] as const)
  return { ...state, known: withLatest(state.known, entries, ATTEMPT_LIMITS.known), round: counted }
}

/** Somebody said or decided something: the session is not going round by itself. */
const SAID: ReadonlySet<EventKind> = new Set<EventKind>([
  'prompt-submitted',
  'digest-written',
  'remembered',
  'decision-made',
  'gate-changed',
  'error-recovered',
])

function afterCompaction(state: AttemptState): AttemptState {
  const { calls, novel, idle, seqs } = state.round
  // A harness may compact twice for one reason; only a round in which something was done again goes round.
  const isIdle = novel === 0 && calls > 0
  const round =
    novel > 0
      ? { idle: 0, seqs: [state.seq] }
      : { idle: idle + (isIdle ? 1 : 0), seqs: [...seqs, state.seq].slice(-ATTEMPT_LIMITS.seqs) }
  return { ...state, round: { calls: 0, novel: 0, ...round } }
}

/** What an event other than a tool's end means for the round: a compaction closes it, a person's word makes it new. */
function afterRound(state: AttemptState, event: SessionEvent): AttemptState {
  if (event.subagent !== undefined) return state
  if (event.kind === 'session-started') return event.source === 'compact' ? afterCompaction(state) : state
  if (!SAID.has(event.kind)) return state
  return { ...state, round: { ...state.round, novel: state.round.novel + 1 } }
}

export interface NumberedEvent {
  readonly seq: number
  readonly event: SessionEvent
}

interface Here {
  readonly worktree?: string
}

type ToolEnd = EventOf<'tool-finished'>

function editedSince(edits: readonly Edit[], seq: number): readonly string[] {
  return [...new Set(edits.filter((edit) => edit.seq > seq).map(({ path }) => path))].slice(-ATTEMPT_LIMITS.files)
}

function failureOf(state: AttemptState, run: RunVerdict, { event, seq }: { event: ToolEnd; seq: number }): Failure {
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
  const failure = failureOf(state, run, at)
  let next = state
  for (const { key, command, purpose } of run.commands) {
    if ((state.passedAt.get(key) ?? '') > at.event.at) continue
    const before = next.attempts.find((attempt) => attempt.key === key)
    const attempt: Attempt = { key, command, purpose, ...withFailure(before, failure, state.edits) }
    next = {
      ...next,
      attempts: [...next.attempts.filter((other) => other !== before), attempt].slice(-ATTEMPT_LIMITS.attempts),
    }
    // A subagent's errors are its own business until the command that it ran fails again.
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
 * Marks every failing check whose last failure came after these edits: they were tried, and taken back.
 * What was edited into a file that failed already and taken out again by hand was there to look, as a rule, and not a try.
 */
function withUndoing(state: AttemptState, files: readonly string[], how: Omit<Undoing, 'files'>): AttemptState {
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

function foldShell(state: AttemptState, at: { event: ToolEnd; seq: number }, here: Here): AttemptState {
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
  for (const part of runnableParts(tool.command ?? ''))
    next = withUndoing(next, discardedBy(part, next.edits), { how: clip(part, 120), seq: at.seq, isByHand: false })
  return next
}

function foldEdit(state: AttemptState, { event, seq }: { event: ToolEnd; seq: number }, here: Here): AttemptState {
  const edits = keyedEdits(event.tool, { ...here, cwd: event.cwd })
  const run = readEdit(edits, event.outcome)
  if (run.verdict === 'failed') return foldFailed(withKnown(state, []), run, { event, seq })
  if (run.verdict !== 'passed') return state
  return foldEdited(foldPassed(state, run, { event, seq }), { event, seq }, here)
}

function foldEdited(state: AttemptState, { event, seq }: { event: ToolEnd; seq: number }, here: Here): AttemptState {
  const paths = event.tool.files.flatMap(({ path, action }) =>
    action === 'read' ? [] : (relativePath(path, { ...here, cwd: event.cwd }) ?? []),
  )
  const lines = paths.length === 1 ? lineDigests(event.tool.fragment) : []
  let next = withKnown(state, [], paths.length)
  for (const path of paths) {
    const edit: Edit = { path, seq, lines }
    const isBack = undoneBy(edit, next.edits) !== undefined
    next = isBack
      ? withUndoing(next, [path], { how: 'edited back to what it was', seq, isByHand: true })
      : { ...next, edits: [...next.edits, edit].slice(-ATTEMPT_LIMITS.edits) }
  }
  return next
}

function foldTool(state: AttemptState, at: { event: ToolEnd; seq: number }, here: Here): AttemptState {
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

/** What was tried, after one more event. Events that were folded already, or came out of order, change nothing. */
export function foldAttempt(state: AttemptState, { seq, event }: NumberedEvent, here: Here = {}): AttemptState {
  if (seq <= state.seq) return state
  const next = { ...state, seq }
  if (event.kind === 'tool-finished') return foldTool(next, { event, seq }, here)
  return afterRound(next, event)
}
