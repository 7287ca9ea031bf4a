import { BEFORE_COMMAND, type Injection, type InjectionKind, type LineReason } from '../kernel/injection.ts'
import { folderOf, headOf, inFolder, runnableParts } from '../kernel/shell/command.ts'
import { identifiersIn, refsIn } from '../kernel/text/identifiers.ts'
import { pathsIn } from '../kernel/paths/paths.ts'
import { type InjectionUse, type LineUse, type SectionLabels, WATCHED_CALLS } from '../kernel/start-outcome.ts'
import { placedHeadOf } from './command-head.ts'
import type { EpochTrace, TracedCall } from './trace.ts'

/** What a line names that can later be seen. */
interface Handles {
  readonly paths: readonly string[]
  /** By what names them: `npm test`, whatever its arguments. One that is told with its folder is that of no other. */
  readonly heads: readonly string[]
  readonly names: readonly string[]
  readonly isSentence: boolean
}

const FILE_SECTIONS: ReadonlySet<string> = new Set(['edited', 'read', 'uncommitted', 'named'])
const COMMAND_SECTIONS: ReadonlySet<string> = new Set(['commands', 'failing'])
const NAME_SECTIONS: ReadonlySet<string> = new Set(['identifiers', 'refs'])

const QUOTED = /`([^`\n]{2,300})`/g

function headsIn(line: string): readonly string[] {
  return [...line.matchAll(QUOTED)].flatMap(([, quoted = '']) =>
    runnableParts(quoted).map((part) => placedHeadOf(inFolder(folderOf(quoted), part))),
  )
}

/** Whether a run is of a command that was told. A sentence may leave out the folder; a list of commands does not. */
function isRunOf(command: string, { heads, isSentence }: Handles): boolean {
  return heads.includes(placedHeadOf(command)) || (isSentence && heads.includes(headOf(command)))
}

function handlesOf({ line, section = '' }: LineReason): Handles {
  const nothing = { paths: [], heads: [], names: [], isSentence: false }
  if (FILE_SECTIONS.has(section)) return { ...nothing, paths: [line] }
  if (COMMAND_SECTIONS.has(section)) return { ...nothing, heads: headsIn(line) }
  if (NAME_SECTIONS.has(section)) return { ...nothing, names: [line] }
  const names = [...identifiersIn(line, 20), ...refsIn(line)]
  return { paths: pathsIn(line, 20), heads: headsIn(line), names, isSentence: true }
}

/** The same file, or one that was named by its last parts only. */
function isFile(touched: string, named: string): boolean {
  return touched === named || touched.endsWith(`/${named}`) || named.endsWith(`/${touched}`)
}

function isUsedBy(call: TracedCall, handles: Handles): boolean {
  const { paths, names } = handles
  const touched = [...call.reads, ...call.edits, ...call.named]
  return (
    paths.some((path) => touched.some((other) => isFile(other, path))) ||
    names.some((name) => call.names.includes(name)) ||
    call.commands.some((command) => isRunOf(command, handles))
  )
}

const UNSEEN: LineUse = { status: 'cannot-tell' }

/** What a summariser was told is for its summary, and a warning is heeded by what is not done: later calls say nothing about either. */
const WITHOUT_USE: ReadonlySet<InjectionKind> = new Set<InjectionKind>(['compaction-advice', 'notice'])
const WARNINGS: ReadonlySet<string> = new Set([BEFORE_COMMAND, 'failed'])

function hasUse(kind: InjectionKind, { section }: LineReason): boolean {
  return !WITHOUT_USE.has(kind) && !WARNINGS.has(section ?? '')
}

function useOf(reason: LineReason, trace: EpochTrace, firstCall: number): LineUse {
  const handles = handlesOf(reason)
  if (handles.paths.length + handles.heads.length + handles.names.length === 0) return UNSEEN
  const found = trace.calls.findIndex((call, index) => index >= firstCall && isUsedBy(call, handles))
  return found === -1 ? { status: 'not-used' } : { status: 'used', afterCalls: found - firstCall + 1 }
}

/** What became of an injection in what followed. Its own time says which calls came after it: the log does not number injections. */
export function usageOf(injection: Injection, trace: EpochTrace): InjectionUse {
  const isAtStart = injection.kind === 'recovery'
  const after = isAtStart ? 0 : trace.calls.findIndex(({ at }) => at >= injection.at)
  const firstCall = after === -1 ? trace.calls.length : after
  return {
    at: injection.at,
    kind: injection.kind,
    textHash: injection.textHash,
    lines: injection.reasons.map((reason) =>
      hasUse(injection.kind, reason) ? useOf(reason, trace, firstCall) : UNSEEN,
    ),
  }
}

/** However much one session was shown of a section, it has this many votes there: none decides alone. */
const MAX_VOTES = 3
/** A start that did next to nothing says nothing about what it was told. */
const MIN_CALLS = 5

function isUsedInTime(use: LineUse): boolean {
  return use.status === 'used' && use.afterCalls <= WATCHED_CALLS
}

/** What a start says about the sections it was shown, for the scorer. */
export function labelsOf(
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
