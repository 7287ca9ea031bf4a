import type { WorkSummary } from '../kernel/checkpoint.ts'
import { BEFORE_COMMAND, type Injection } from '../kernel/injection.ts'
import { purposeOf } from '../kernel/shell/command.ts'
import { isSameMatter, matterOf, saysTheSame } from '../kernel/text/text-similarity.ts'
import { placedHeadOf } from './command-head.ts'
import { type RereadFile, type Rework, type Standing, WATCHED_CALLS } from '../kernel/start-outcome.ts'
import type { EpochTrace } from './trace.ts'

/** The calls that are watched, and how much was done in them. */
export interface Watched {
  readonly files: ReadonlySet<string>
  readonly commands: ReadonlySet<string>
  readonly decisions: readonly string[]
}

export function watchedOf({ calls, decisions }: EpochTrace): Watched {
  const watched = calls.slice(0, WATCHED_CALLS)
  return {
    files: new Set(watched.flatMap(({ reads }) => reads)),
    commands: new Set(watched.flatMap(({ commands }) => commands)),
    decisions: decisions.filter(({ afterCalls }) => afterCalls <= WATCHED_CALLS).map(({ text }) => text),
  }
}

export interface Reread {
  readonly path: string
  readonly isEditedAfter: boolean
}

/** Files of the earlier work that were read again before this session had changed them. */
export function rereadFiles({ calls }: EpochTrace, earlier: WorkSummary): readonly Reread[] {
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

/** What asks about the present is not repeated work, and neither is a run after something changed. */
function repeatedCommands({ calls }: EpochTrace, earlier: WorkSummary): readonly string[] {
  const known = new Set(earlier.commands.map(({ command }) => command))
  const firstEdit = calls.findIndex(({ edits }) => edits.length > 0)
  const before = calls.slice(0, Math.min(firstEdit === -1 ? WATCHED_CALLS : firstEdit, WATCHED_CALLS))
  const run = before.flatMap(({ commands }) => commands)
  return [...new Set(run.filter((command) => known.has(command) && purposeOf(command) !== 'vcs'))]
}

const MIN_SHARED_CHARS = 8
const TELLING_CHARS = 100

/**
 * A decision of the earlier work whose matter was decided again: in about the same words, or for what was then rejected.
 * Whoever was told of it and says the same once more keeps to it.
 */
function reopenedDecisions(
  decided: readonly string[],
  earlier: WorkSummary,
  told: readonly string[],
): readonly string[] {
  const now = decided.filter((text) => text.length >= MIN_SHARED_CHARS).map(matterOf)
  return earlier.decisions
    .filter(({ decision, alternatives = [] }) => {
      const then = [decision, ...alternatives].map(matterOf)
      const again = now.filter((matter) => then.some((known) => isSameMatter(matter, known)))
      const isTold = told.some((line) => line.includes(decision.slice(0, TELLING_CHARS)))
      return isTold ? again.some((matter) => !saysTheSame(matter, matterOf(decision))) : again.length > 0
    })
    .map(({ decision }) => decision)
}

/** What the agent could go by. A summariser is told at the end, and a warning comes when the agent has chosen already. */
function toldLines({ kind, reasons }: Injection): readonly string[] {
  if (kind === 'compaction-advice' || kind === 'notice') return []
  return reasons.flatMap(({ section, line }) => (section === BEFORE_COMMAND ? [] : [line]))
}

/** What would make it part of a longer name: `data.ts` does not tell `a.ts`, nor `npm test:unit` `npm test`. */
const GOES_ON_BEFORE = /[\w$/-]$/
const GOES_ON_AFTER = /^(?:[\w$-]|[.:][a-z_])/i

function names(line: string, thing: string): boolean {
  for (let at = line.indexOf(thing); at !== -1; at = line.indexOf(thing, at + 1)) {
    const before = line.slice(0, at).replace(/(?:^|[^\w.])\.\/$/, '')
    if (!GOES_ON_BEFORE.test(before) && !GOES_ON_AFTER.test(line.slice(at + thing.length))) return true
  }
  return false
}

/** Whether a line of what was told names it. */
function isTold(thing: string, lines: readonly string[]): boolean {
  return lines.some((line) => names(line, thing))
}

const NEEDED_NAMES = 80

/** What the earlier work knew and nobody had told, that was needed after all. */
function novelContext(trace: EpochTrace, earlier: WorkSummary, told: readonly string[]): number {
  const calls = trace.calls.slice(0, WATCHED_CALLS)
  const prompts = trace.prompts.filter(({ afterCalls }) => afterCalls <= WATCHED_CALLS)
  const asked = new Set(prompts.flatMap(({ paths, names }) => [...paths, ...names]))
  const opened = new Set(calls.flatMap(({ reads }) => reads))
  const searched = new Set(calls.filter(({ isSearch }) => isSearch).flatMap(({ names }) => names))
  const heads = new Set(calls.flatMap(({ commands }) => commands.map(placedHeadOf)))
  const files = earlier.files.filter(
    ({ path, reads, edits }) => reads + edits > 0 && (opened.has(path) || asked.has(path)),
  )
  const identifiers = earlier.identifiers
    .slice(0, NEEDED_NAMES)
    .filter(({ name }) => asked.has(name) || searched.has(name))
  const commands = new Set(
    earlier.commands
      .filter(({ purpose }) => purpose !== 'vcs')
      .map(({ command }) => placedHeadOf(command))
      .filter((head) => heads.has(head)),
  )
  const things = new Set([...files.map(({ path }) => path), ...identifiers.map(({ name }) => name), ...commands])
  return [...things].filter((thing) => !isTold(thing, told)).length
}

export interface ReworkInput {
  readonly trace: EpochTrace
  readonly earlier: WorkSummary
  readonly injections: readonly Injection[]
  readonly standingOf: (path: string) => Standing
}

export function reworkOf({ trace, earlier, injections, standingOf }: ReworkInput): Rework {
  const { files, commands, decisions } = watchedOf(trace)
  const filesReread = rereadFiles(trace, earlier).map(
    ({ path, isEditedAfter }): RereadFile => ({ path, standing: standingOf(path), isEditedAfter }),
  )
  const commandsRepeated = repeatedCommands(trace, earlier)
  const told = injections.flatMap(toldLines)
  const decisionsReopened = reopenedDecisions(decisions, earlier, told)
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
    novel_context_count: novelContext(trace, earlier, told),
  }
}
