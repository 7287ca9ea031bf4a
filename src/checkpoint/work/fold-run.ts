import { renderTotals } from '../../kernel/text/test-totals.ts'
import type { CheckVerdict, ErrorRecord, TestResult } from '../../kernel/checkpoint.ts'
import type { ToolOutcome } from '../../kernel/event.ts'
import { isDiscardingWork, getCommandHead, classifyCommand, listCommands } from '../../kernel/shell/command.ts'
import { settlesCommand } from '../../kernel/shell/whole-suite.ts'
import { type ErrorLine, findErrorLines, type TestReport, readTestOutput } from '../../kernel/text/command-output.ts'
import {
  type CheckEntry,
  ENDED_FROM_OUTSIDE,
  type FinishedRun,
  changesTree,
  hasRun,
  readChecks,
  withChecks,
} from '../checks/checks.ts'
import { isNothingToCommit, isPushRefused, withCommits } from '../checks/commits.ts'
import { withPullRequest } from '../checks/pull-request.ts'
import { withMerge } from '../checks/merges.ts'
import type { FoldLocation } from './fold-paths.ts'
import { baseName, isScratch } from '../../kernel/paths/paths.ts'
import { type CommandEntry, type FailedApproach, type WorkState, LIMITS } from './state.ts'
import { clip } from '../../kernel/text/text.ts'

const BURST = 3
const MAX_ERROR_LINES = 6
const MAX_THROWN = 4

/** Moves the item to the end of the list and drops the oldest beyond `limit`. */
function atEnd<T>(list: readonly T[], item: T, { isSame, limit }: { isSame: (other: T) => boolean; limit: number }) {
  return [...list.filter((other) => !isSame(other)), item].slice(-limit)
}

interface Run {
  readonly part: string
  readonly ok: boolean
  readonly exitStatus?: number
  readonly error?: string
  /** What its output counts and names. */
  readonly shown?: string
  readonly order: number
}

/** Another test that fails, or more that pass, is progress and not the same failure. */
function isSameFailure({ lastError, lastShown }: CommandEntry, run: Run): boolean {
  return lastError === run.error && lastShown === run.shown
}

function withCommand(commands: readonly CommandEntry[], run: Run): readonly CommandEntry[] {
  const before = commands.find((command) => command.command === run.part)
  const entry: CommandEntry = {
    command: run.part,
    head: getCommandHead(run.part),
    purpose: classifyCommand(run.part),
    ok: run.ok,
    exitStatus: run.exitStatus,
    runs: (before?.runs ?? 0) + 1,
    failures: (before?.failures ?? 0) + (run.ok ? 0 : 1),
    failuresInRow: run.ok ? 0 : 1 + (before !== undefined && isSameFailure(before, run) ? before.failuresInRow : 0),
    lastOrder: run.order,
    lastError: run.ok ? undefined : run.error,
    lastShown: run.ok ? undefined : run.shown,
  }
  return atEnd(commands, entry, { isSame: (other) => other.command === run.part, limit: LIMITS.commands })
}

/** Stopped by the user, or still running: it neither succeeded nor failed. */
function asStarted(order: number) {
  return (commands: readonly CommandEntry[], part: string): readonly CommandEntry[] => {
    const before = commands.find((command) => command.command === part)
    if (before === undefined) return withCommand(commands, { part, ok: true, order })
    const entry = { ...before, runs: before.runs + 1, lastOrder: order }
    return atEnd(commands, entry, { isSame: (other) => other.command === part, limit: LIMITS.commands })
  }
}

/** A passing run clears the failures of earlier runs of the command and of narrower ones. */
function withTests(
  tests: readonly TestResult[],
  report: TestReport | undefined,
  { part, verdict, order }: Run & { readonly verdict?: CheckVerdict },
): readonly TestResult[] {
  // A result that a pipe hides, and a run without tests, take back a success and no failure.
  if (verdict !== 'passed' && verdict !== 'failed')
    return tests.filter(({ command, status }) => command !== part || status === 'failing')
  const ok = verdict === 'passed'
  const kept = tests.filter(({ command }) => command !== part && !(ok && settlesCommand(part, command)))
  const status = ok ? 'passing' : 'failing'
  const whole: TestResult = { name: renderTotals(report ?? {}) ?? part, status, command: part, lastOrder: order }
  const failing = (ok ? [] : (report?.failing ?? [])).map((name) => ({
    name,
    status: 'failing' as const,
    command: part,
    lastOrder: order,
  }))
  return [...kept, whole, ...failing].slice(-LIMITS.tests)
}

export function withErrors(
  errors: readonly ErrorRecord[],
  lines: readonly ErrorLine[],
  { command, order }: { command?: string; order: number },
): readonly ErrorRecord[] {
  let next = errors
  for (const line of lines) {
    const before = next.find((error) => error.signature === line.signature)
    const record: ErrorRecord = { ...line, count: (before?.count ?? 0) + 1, command, lastOrder: order }
    next = atEnd(next, record, { isSame: (other) => other.signature === line.signature, limit: LIMITS.errors })
  }
  return next
}

/** The same check or a wider one succeeded again: the edits in between fixed it. */
function resolved(state: WorkState, run: Run): readonly ErrorRecord[] {
  return state.errors.map((error) => {
    if (error.resolution !== undefined || error.command === undefined || !settlesCommand(run.part, error.command))
      return error
    const edited = state.files.filter((file) => file.lastEditOrder > error.lastOrder).map((file) => baseName(file.path))
    const resolution =
      edited.length === 0 ? 'went away on another run' : clip(`fixed by editing ${edited.slice(-4).join(', ')}`, 160)
    return { ...error, resolution }
  })
}

function withApproach(approaches: readonly FailedApproach[], approach: FailedApproach): readonly FailedApproach[] {
  return atEnd(approaches, approach, {
    isSame: (other) => other.key === approach.key,
    limit: LIMITS.failedApproaches,
  })
}

/** The session's own edits that a command discarded. */
function thrownAway(state: WorkState, part: string): readonly string[] {
  const edited = state.files.filter((file) => file.lastEditOrder > 0).map(({ path }) => path)
  const words = part.split(/\s+/).map((word) => word.replace(/^["']|["']$|\/$/g, ''))
  // Relative to the folder where it ran, or whole; not a file of the same name elsewhere.
  const isNamed = (path: string) =>
    words.some(
      (word) => path === word || (!isScratch(path) && (path.endsWith(`/${word}`) || path.startsWith(`${word}/`))),
    )
  const named = edited.filter(isNamed)
  return named.length > 0 || namesFiles(part) ? named : edited
}

/** `git checkout -- a.ts`, but not `git reset --hard` or `git checkout -- .`, which discard everything. */
function namesFiles(part: string): boolean {
  return /^git (?:checkout|restore) (?!.* \.$)/.test(part)
}

/** The sentence that a failed approach is stored as. */
function renderFailure(command: string, how: string): string {
  return `\`${command}\` failed ${how}`
}

export function isAboutFailure(sentence: string, command: string): boolean {
  return sentence.startsWith(renderFailure(command, ''))
}

function failedApproachesAfter(state: WorkState, run: Run): readonly FailedApproach[] {
  if (run.ok && isDiscardingWork(run.part)) {
    const thrown = thrownAway(state, run.part).map(baseName)
    if (thrown.length === 0) return state.failedApproaches
    const what = `edits to ${thrown.slice(0, MAX_THROWN).join(', ')}${thrown.length > MAX_THROWN ? ' and others' : ''}`
    return withApproach(state.failedApproaches, {
      key: run.part,
      text: clip(`${what} were thrown away with \`${run.part}\``, 200),
    })
  }
  if (run.ok && /^git stash (?:pop|apply)\b/.test(run.part))
    return state.failedApproaches.filter(({ key }) => !key.startsWith('git stash'))
  if (run.ok) return state.failedApproaches.filter(({ key }) => !settlesCommand(run.part, key))
  const entry = state.commands.find((command) => command.command === run.part)
  if (entry === undefined || entry.failuresInRow < BURST) return state.failedApproaches
  const why = run.error === undefined ? '' : `, last with: ${run.error}`
  return withApproach(state.failedApproaches, {
    key: run.part,
    text: clip(renderFailure(run.part, `${entry.failuresInRow} times in a row${why}`), 240),
  })
}

/** Which commands of a line failed. The status of a chain is that of one of them: without a result, the checks, else all. */
function findGuilty(
  parts: readonly string[],
  { ok, output = '' }: ToolOutcome,
  verdictOf: ReadonlyMap<string, CheckVerdict>,
): ReadonlySet<string> {
  const failed = parts.filter((part) => verdictOf.get(part) === 'failed' || isPushRefused(part, output))
  if (failed.length > 0 || ok || parts.some((part) => isNothingToCommit(part, output))) return new Set(failed)
  const open = parts.filter((part) => verdictOf.get(part) !== 'passed')
  const checks = open.filter((part) => verdictOf.has(part))
  return new Set(checks.length > 0 ? checks : open)
}

/** The folder does not exist: nothing ran in it. */
const NEVER_RAN = /^(?:\S*(?:sh|\(eval\)):\s?)?(?:line )?(?:\d+: )?cd(?::\d+)?: .{0,300}$/

/** Checks, commits and changes of the tree. */
function withObserved(state: WorkState, run: FinishedRun, checks: readonly CheckEntry[]): WorkState {
  const { commits = [], lastPushOrder, order } = state
  return {
    ...state,
    checks: withChecks(state.checks, checks),
    ...withCommits({ commits, ...(lastPushOrder === undefined ? {} : { lastPushOrder }) }, run, order),
    merge: withMerge(state.merge, run, order),
    pullRequest: withPullRequest(state.pullRequest, run, order),
    lastEditOrder: changesTree(run, (part) => thrownAway(state, part).length > 0) ? state.order : state.lastEditOrder,
  }
}

function describeResult(report: TestReport | undefined): string | undefined {
  if (report === undefined) return undefined
  return [renderTotals(report) ?? '', ...(report.failing ?? [])].join('; ')
}

/** zsh and bash. */
const NOT_FOUND = [/command not found: (\S+)/, /(\S+): (?:command )?not found/] as const
const SCANNED_CHARS = 400
const WRAPPER = /^(?:env|gtimeout|nice|nohup|sudo|time|timeout|xargs)$/

/** `timeout 15 npm run dev` where there is no `timeout`: nothing ran. */
function isWrapperMissing(command: string, output: string): boolean {
  const start = output.slice(0, SCANNED_CHARS)
  const missing = NOT_FOUND.map((pattern) => pattern.exec(start)?.[1]).find((name) => name !== undefined) ?? ''
  return WRAPPER.test(missing) && command.split(/\s+/).includes(missing)
}

export function foldRun(before: WorkState, run: FinishedRun, here: FoldLocation): WorkState {
  const { tool, outcome } = run
  const output = outcome.output ?? ''
  // What was refused did not run.
  if (outcome.refused !== undefined || (!outcome.ok && NEVER_RAN.test(output.trim()))) return before
  const checks = readChecks(run, here, before.order)
  const state = withObserved(before, run, checks)
  const parts = listCommands(tool.command ?? '', { ...here, ranIn: tool.cwd })
  // Inspection and searches are not runs.
  if (parts.length === 0) return state
  if (isWrapperMissing(tool.command ?? '', output)) return state
  const isKilled = ENDED_FROM_OUTSIDE.has(outcome.exitStatus ?? 0)
  if (!hasRun(run) || isKilled) {
    // A killed run of a new command would count as one that succeeded.
    const known = parts.filter((part) => !isKilled || state.commands.some(({ command }) => command === part))
    return { ...state, commands: known.reduce(asStarted(state.order), state.commands) }
  }
  const verdictOf = new Map(checks.map(({ command, verdict }) => [command, verdict]))
  const guilty = findGuilty(parts, outcome, verdictOf)
  const lines = guilty.size > 0 ? findErrorLines(output, MAX_ERROR_LINES) : []
  const report = checks.some(({ purpose }) => purpose === 'test') ? readTestOutput(output) : undefined
  let next: WorkState = state
  for (const part of parts) {
    const ok = !guilty.has(part)
    const verdict = verdictOf.get(part)
    const shown = ok ? undefined : describeResult(report)
    const error = lines[0]?.text
    const one: Run = { part, ok, exitStatus: outcome.exitStatus, error, shown, order: state.order }
    next = { ...next, commands: withCommand(next.commands, one) }
    if (classifyCommand(part) === 'test') next = { ...next, tests: withTests(next.tests, report, { ...one, verdict }) }
    if (guilty.size === 0 && (verdict ?? 'passed') === 'passed') next = { ...next, errors: resolved(next, one) }
    next = { ...next, failedApproaches: failedApproachesAfter(next, one) }
  }
  const command = [...guilty][0] ?? parts[0]
  return { ...next, errors: withErrors(next.errors, lines, { command, order: state.order }) }
}
