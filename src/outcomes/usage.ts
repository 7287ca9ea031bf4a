import { BEFORE_COMMAND, type Injection, type InjectionKind, type LineReason } from '../kernel/injection.ts'
import { getCommandFolder, getCommandHead, withCommandFolder, listRunnableCommands } from '../kernel/shell/command.ts'
import { findIdentifiers, findReferences } from '../kernel/text/identifiers.ts'
import { findPaths } from '../kernel/paths/paths.ts'
import { type InjectionUse, type LineUse, type SectionLabels, WATCHED_CALLS } from '../kernel/start-outcome.ts'
import { getLocatedHead } from './start-trace.ts'
import type { StartTrace, TracedCall } from './start-trace.ts'

/** What a line names whose use can be observed. */
interface Handles {
  readonly paths: readonly string[]
  /** Command heads without arguments, such as `npm test`, with the folder when the line has one. */
  readonly heads: readonly string[]
  readonly names: readonly string[]
  readonly isSentence: boolean
}

const FILE_SECTIONS: ReadonlySet<string> = new Set(['files', 'edited', 'read', 'uncommitted', 'named'])
const COMMAND_SECTIONS: ReadonlySet<string> = new Set(['commands', 'checks', 'failing'])
const NAME_SECTIONS: ReadonlySet<string> = new Set(['identifiers', 'refs'])

const QUOTED = /`([^`\n]{2,300})`/g

function headsIn(line: string): readonly string[] {
  return [...line.matchAll(QUOTED)].flatMap(([, quoted = '']) =>
    listRunnableCommands(quoted).map((part) => getLocatedHead(withCommandFolder(getCommandFolder(quoted), part))),
  )
}

/** A sentence may leave out the folder of a command; a list of commands does not. */
function runsCommand(command: string, { heads, isSentence }: Handles): boolean {
  return heads.includes(getLocatedHead(command)) || (isSentence && heads.includes(getCommandHead(command)))
}

function findHandles({ line, section = '' }: LineReason): Handles {
  const nothing = { paths: [], heads: [], names: [], isSentence: false }
  if (FILE_SECTIONS.has(section)) return { ...nothing, paths: [line] }
  if (COMMAND_SECTIONS.has(section)) return { ...nothing, heads: headsIn(line) }
  if (NAME_SECTIONS.has(section)) return { ...nothing, names: [line] }
  const names = [...findIdentifiers(line, 20), ...findReferences(line)]
  return { paths: findPaths(line, 20), heads: headsIn(line), names, isSentence: true }
}

/** Also when one path is the end of the other. */
function isSameFile(touched: string, named: string): boolean {
  return touched === named || touched.endsWith(`/${named}`) || named.endsWith(`/${touched}`)
}

function isUsedBy(call: TracedCall, handles: Handles): boolean {
  const { paths, names } = handles
  const touched = [...call.reads, ...call.edits, ...call.named]
  return (
    paths.some((path) => touched.some((other) => isSameFile(other, path))) ||
    names.some((name) => call.names.includes(name)) ||
    call.commands.some((command) => runsCommand(command, handles))
  )
}

const UNSEEN: LineUse = { status: 'cannot-tell' }

/** Use cannot be observed: compaction hints are for the summary, and a warning is followed by not doing something. */
const WITHOUT_USE: ReadonlySet<InjectionKind> = new Set<InjectionKind>([
  'compaction-advice',
  'notice',
  'digest-request',
])
const WARNINGS: ReadonlySet<string> = new Set([BEFORE_COMMAND, 'failed', 'tried'])

function hasUse(kind: InjectionKind, { section }: LineReason): boolean {
  return !WITHOUT_USE.has(kind) && !WARNINGS.has(section ?? '')
}

function measureLineUse(reason: LineReason, trace: StartTrace, firstCall: number): LineUse {
  const handles = findHandles(reason)
  if (handles.paths.length + handles.heads.length + handles.names.length === 0) return UNSEEN
  const found = trace.calls.findIndex((call, index) => index >= firstCall && isUsedBy(call, handles))
  return found === -1 ? { status: 'not-used' } : { status: 'used', afterCalls: found - firstCall + 1 }
}

/** Which lines of an injection later calls used. Compared by time, because the log does not number injections. */
export function measureUse(injection: Injection, trace: StartTrace): InjectionUse {
  const isAtStart = injection.kind === 'recovery'
  const after = isAtStart ? 0 : trace.calls.findIndex(({ at }) => at >= injection.at)
  const firstCall = after === -1 ? trace.calls.length : after
  return {
    at: injection.at,
    kind: injection.kind,
    textHash: injection.textHash,
    lines: injection.reasons.map((reason) =>
      hasUse(injection.kind, reason) ? measureLineUse(reason, trace, firstCall) : UNSEEN,
    ),
  }
}

/** Limit for one session in one section, so that none decides alone. */
const MAX_VOTES = 3
/** A start with fewer calls has no labels. */
const MIN_CALLS = 5

function isUsedInTime(use: LineUse): boolean {
  return use.status === 'used' && use.afterCalls <= WATCHED_CALLS
}

/** How often the lines of each section were shown and used after a start: the labels for a trainer. */
export function labelSections(
  injections: readonly Injection[],
  uses: readonly InjectionUse[],
  calls: number,
): readonly SectionLabels[] {
  if (calls < MIN_CALLS) return []
  const counts = new Map<string, { shown: number; used: number }>()
  injections.forEach((injection, index) => {
    if (injection.kind !== 'recovery') return
    injection.reasons.forEach(({ section }, line) => {
      const use = uses[index]?.lines[line]
      if (section === undefined || use === undefined || use.status === 'cannot-tell') return
      const count = counts.get(section) ?? { shown: 0, used: 0 }
      counts.set(section, { shown: count.shown + 1, used: count.used + (isUsedInTime(use) ? 1 : 0) })
    })
  })
  return [...counts]
    .map(([section, { shown, used }]) => {
      const votes = Math.min(shown, MAX_VOTES)
      return { section, shown: votes, used: (votes * used) / shown }
    })
    .toSorted((a, b) => (a.section < b.section ? -1 : 1))
}
