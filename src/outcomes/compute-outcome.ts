import type { WorkSummary } from '../kernel/checkpoint.ts'
import type { SessionId } from '../kernel/id.ts'
import { type Injection, BEFORE_COMMAND } from '../kernel/injection.ts'
import type { Location } from '../kernel/location.ts'
import type { Session } from '../kernel/session.ts'
import {
  type StartOutcome,
  type RereadState,
  type RereadFile,
  type Rework,
  WATCHED_CALLS,
} from '../kernel/start-outcome.ts'
import { type StartTrace, getLocatedHead } from './start-trace.ts'
import { labelSections, measureUse } from './usage.ts'
import { classifyCommand } from '../kernel/shell/command.ts'
import { isSimilarText, toTermSet, isSameText } from '../kernel/text/terms.ts'

/** What was done in the watched calls. */
export interface WatchedWork {
  readonly files: ReadonlySet<string>
  readonly commands: ReadonlySet<string>
  readonly decisions: readonly string[]
}

function collectWatched({ calls, decisions }: StartTrace): WatchedWork {
  const watched = calls.slice(0, WATCHED_CALLS)
  return {
    files: new Set(watched.flatMap(({ reads }) => reads)),
    commands: new Set(watched.flatMap(({ commands }) => commands)),
    decisions: decisions.filter(({ afterCalls }) => afterCalls <= WATCHED_CALLS).map(({ text }) => text),
  }
}

export interface RereadPath {
  readonly path: string
  readonly isEditedAfter: boolean
}

/** Files of the earlier work that were read again before this session had changed them. */
export function findRereads({ calls }: StartTrace, earlier: WorkSummary): readonly RereadPath[] {
  const known = new Set(earlier.files.filter(({ reads, edits }) => reads + edits > 0).map(({ path }) => path))
  const edited = new Set<string>()
  const again = new Set<string>()
  for (const call of calls.slice(0, WATCHED_CALLS)) {
    for (const path of call.reads) if (known.has(path) && !edited.has(path)) again.add(path)
    for (const path of call.edits) edited.add(path)
  }
  const everEdited = new Set(calls.flatMap(({ edits }) => edits))
  return [...again].map((path) => ({ path, isEditedAfter: everEdited.has(path) }))
}

/** Version control commands and runs after an edit are not repeated work. */
function findRepeatedCommands({ calls }: StartTrace, earlier: WorkSummary): readonly string[] {
  const known = new Set(earlier.commands.map(({ command }) => command))
  const firstEdit = calls.findIndex(({ edits }) => edits.length > 0)
  const before = calls.slice(0, Math.min(firstEdit === -1 ? WATCHED_CALLS : firstEdit, WATCHED_CALLS))
  const run = before.flatMap(({ commands }) => commands)
  return [...new Set(run.filter((command) => known.has(command) && classifyCommand(command) !== 'vcs'))]
}

const MIN_SHARED_CHARS = 8
const DISTINCTIVE_CHARS = 100

/**
 * Earlier decisions that were made again in similar words, or for a rejected alternative. When the decision was injected,
 * repeating it in the same words confirms it and does not count.
 */
function findReopenedDecisions(
  decided: readonly string[],
  earlier: WorkSummary,
  injected: readonly string[],
): readonly string[] {
  const now = decided.filter((text) => text.length >= MIN_SHARED_CHARS).map(toTermSet)
  return earlier.decisions
    .filter(({ decision, alternatives = [] }) => {
      const then = [decision, ...alternatives].map(toTermSet)
      const again = now.filter((terms) => then.some((known) => isSimilarText(terms, known)))
      const isInjected = injected.some((line) => line.includes(decision.slice(0, DISTINCTIVE_CHARS)))
      return isInjected ? again.some((terms) => !isSameText(terms, toTermSet(decision))) : again.length > 0
    })
    .map(({ decision }) => decision)
}

/** Lines the agent could act on: not those for a summarizer, nor warnings, which come after the agent has chosen. */
function listInjectedLines({ kind, reasons }: Injection): readonly string[] {
  if (kind !== 'recovery' && kind !== 'memories') return []
  return reasons.flatMap(({ section, line }) => (section === BEFORE_COMMAND ? [] : [line]))
}

/** Part of a longer name: `data.ts` does not name `a.ts`, nor `npm test:unit` `npm test`. */
const CONTINUES_BEFORE = /[\w$/-]$/
const CONTINUES_AFTER = /^(?:[\w$-]|[.:][a-z_])/i

function names(line: string, thing: string): boolean {
  for (let at = line.indexOf(thing); at !== -1; at = line.indexOf(thing, at + 1)) {
    const before = line.slice(0, at).replace(/(?:^|[^\w.])\.\/$/, '')
    if (!CONTINUES_BEFORE.test(before) && !CONTINUES_AFTER.test(line.slice(at + thing.length))) return true
  }
  return false
}

function isNamed(thing: string, lines: readonly string[]): boolean {
  return lines.some((line) => names(line, thing))
}

/** Things the earlier work knew that were not injected but needed. */
function countNovelContext(trace: StartTrace, earlier: WorkSummary, injected: readonly string[]): number {
  const calls = trace.calls.slice(0, WATCHED_CALLS)
  const prompts = trace.prompts.filter(({ afterCalls }) => afterCalls <= WATCHED_CALLS)
  const asked = new Set(prompts.flatMap(({ paths, names }) => [...paths, ...names]))
  const opened = new Set(calls.flatMap(({ reads }) => reads))
  const heads = new Set(calls.flatMap(({ commands }) => commands.map(getLocatedHead)))
  const files = earlier.files.filter(
    ({ path, reads, edits }) => reads + edits > 0 && (opened.has(path) || asked.has(path)),
  )
  const commands = new Set(
    earlier.commands
      .filter(({ purpose }) => purpose !== 'vcs')
      .map(({ command }) => getLocatedHead(command))
      .filter((head) => heads.has(head)),
  )
  const things = new Set([...files.map(({ path }) => path), ...commands])
  return [...things].filter((thing) => !isNamed(thing, injected)).length
}

export interface ReworkInput {
  readonly trace: StartTrace
  readonly earlier: WorkSummary
  readonly injections: readonly Injection[]
  readonly getRereadState: (path: string) => RereadState
}

export function measureRework({ trace, earlier, injections, getRereadState }: ReworkInput): Rework {
  const { files, commands, decisions } = collectWatched(trace)
  const filesReread = findRereads(trace, earlier).map(
    ({ path, isEditedAfter }): RereadFile => ({ path, standing: getRereadState(path), isEditedAfter }),
  )
  const commandsRepeated = findRepeatedCommands(trace, earlier)
  const injected = injections.flatMap(listInjectedLines)
  const decisionsReopened = findReopenedDecisions(decisions, earlier, injected)
  const again =
    filesReread.filter(({ standing }) => standing === 'unchanged').length +
    commandsRepeated.length +
    decisionsReopened.length
  const done = files.size + commands.size + decisions.length
  return {
    filesReread,
    commandsRepeated,
    decisionsReopened,
    ...(done === 0 ? {} : { ratio: Math.min(1, Math.round((again / done) * 1_000) / 1_000) }),
    novel_context_count: countNovelContext(trace, earlier, injected),
  }
}

export interface EarlierWork {
  readonly sessions: readonly SessionId[]
  readonly work: WorkSummary
}

export interface OutcomeInput {
  readonly session: Session
  readonly place: Location
  readonly epoch: number
  readonly trace: StartTrace
  /** Injections at and after this start, oldest first, without empty ones. */
  readonly injections: readonly Injection[]
  readonly earlier?: EarlierWork
  readonly getRereadState: (path: string) => RereadState
}

function measureFirstEdit({
  calls,
  prompts,
  startedAt,
}: StartTrace): Pick<StartOutcome, 'callsToFirstEdit' | 'msToFirstEdit'> {
  const index = calls.findIndex(({ edits }) => edits.length > 0)
  const edit = calls[index]
  if (edit === undefined) return {}
  // After a compaction in the middle of a turn, work continues without a prompt.
  const first = prompts[0]?.afterCalls === 0 ? prompts[0].at : startedAt
  const ms = Date.parse(edit.at) - Date.parse(first)
  // The clock may have been set back.
  return { callsToFirstEdit: index, ...(ms >= 0 ? { msToFirstEdit: ms } : {}) }
}

/** What followed one start, compared with the earlier work. The same events give the same outcome. */
export function computeOutcome(input: OutcomeInput): StartOutcome {
  const { session, place, epoch, trace, injections, earlier, getRereadState } = input
  const { files, commands, decisions } = collectWatched(trace)
  const uses = injections.map((injection) => measureUse(injection, trace))
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
    ...measureFirstEdit(trace),
    earlierSessions: earlier?.sessions ?? [],
    ...(earlier === undefined
      ? {}
      : { rework: measureRework({ trace, earlier: earlier.work, injections, getRereadState }) }),
    uses,
    labels: labelSections(injections, uses, trace.calls.length),
  }
}
