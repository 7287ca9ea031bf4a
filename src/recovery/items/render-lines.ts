import type { Verdict } from '../../kernel/injection.ts'
import type { Item, SectionKey } from './item.ts'
import type { AgentNote } from '../../kernel/checkpoint.ts'
import type { Decision } from '../../kernel/event.ts'
import { exactLines, sanitize } from '../../kernel/text/fence.ts'
import type { CarriedNote, RecoveryOrigin } from '../merge/merge-checkpoints.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'
import { shortKey } from '../../kernel/id.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'

function renderCommit({ branch, head }: RecoveryOrigin): string {
  if (branch === undefined && head === undefined) return ''
  const commit = head === undefined ? '' : `@${head.slice(0, 9)}`
  return ` on ${branch ?? 'detached'}${commit}`
}

function movedTo({ head: verdict, git }: CheckedView): string {
  if (verdict !== 'changed' || git === undefined) return verdict === 'holds' ? ' ✓' : ''
  return ` ~ now ${git.branch ?? 'detached'}@${git.head?.slice(0, 9) ?? 'none'}`
}

function renderSession({ harness, sessionKey, handedOverBy }: RecoveryOrigin): string {
  return handedOverBy === undefined
    ? `${harness} session ${shortKey(sessionKey)}`
    : `${harness} session on another machine (handed over, signed by key ${handedOverBy.slice(0, 16)})`
}

function beforeMoving({ movedFrom }: RecoveryOrigin): string {
  return movedFrom === undefined ? '' : ` in ${sanitize(movedFrom)}, moved here since,`
}

const ROOM_FOR_LEGEND = 600

/** The source, its time, and the legend of the marks. Absolute times: the same state must give the same bytes. */
export function renderOrigin(checked: CheckedView, budgetChars: number): string {
  const { origin } = checked.view
  if (origin === undefined) return ''
  const at = `${origin.createdAt.slice(0, 16)}Z`
  const who = renderSession(origin)
  if (budgetChars < ROOM_FOR_LEGEND) return `${who}, ${at}.`
  const named = origin.name === undefined ? '' : `checkpoint "${origin.name}" `
  const legend = checked.isChecked ? '✓ holds, ~ changed, ✗ gone, ? cannot tell' : 'unchecked'
  return `${who}${beforeMoving(origin)}${renderCommit(origin)}${movedTo(checked)}, ${named}${at}; ${legend}.`
}

function decisionText({ decision, rationale, alternatives = [] }: Decision): string {
  const because = rationale === undefined ? '' : ` because ${rationale}`
  return `${decision}${because}${alternatives.length === 0 ? '' : ` (instead of: ${alternatives.join(', ')})`}`
}

function optionalLines(label: string, text: string | undefined): readonly string[] {
  return text === undefined ? [] : exactLines(label, text)
}

export function renderNote({ isOvertaken, ...written }: CarriedNote): readonly string[] {
  const { summary, nextAction, waitingFor, decisions, blockers }: AgentNote = written
  return [
    ...exactLines(isOvertaken ? 'Noted by the agent, before the last request' : 'Noted by the agent', summary),
    ...optionalLines(isOvertaken ? 'Next, as it was then' : 'Next', nextAction),
    ...optionalLines('Waiting for', waitingFor),
    ...decisions.flatMap((decision) => exactLines('Decided', decisionText(decision))),
    ...blockers.flatMap((blocker) => exactLines('Blocked by', blocker)),
  ]
}

/** Origin of its lines in the ledger. */
export const SESSION_STATE = 'SESSION-STATE.md'

export function renderSessionState({ text, isEarlier = false }: SessionState): readonly string[] {
  return exactLines(isEarlier ? `${SESSION_STATE}, of the session before` : SESSION_STATE, text)
}

const LABELS: Readonly<Record<SectionKey, string>> = {
  contradicted: 'Contradicted',
  written: 'Noted by the agent',
  goal: 'Asked',
  latest: 'Also',
  plan: 'Plan',
  next: 'Next',
  waiting: 'Waiting for',
  running: 'Unfinished',
  todos: 'Todos',
  blockers: 'Blocked by',
  failing: 'Failing',
  errors: 'Errors',
  edited: 'Edited',
  uncommitted: 'Uncommitted',
  read: 'Read',
  named: 'Mentioned',
  commands: 'Commands',
  identifiers: 'Names',
  decisions: 'Decided',
  failed: 'Tried, failed',
  refs: 'Refs',
  remembers: 'Remembered',
  words: 'Last said',
}

const MARKS: Readonly<Record<Verdict, string>> = { holds: ' ✓', changed: ' ~', gone: ' ✗', 'cannot-tell': ' ?' }

export function getMark(verdict: Verdict): string {
  return MARKS[verdict]
}

function marked(item: Item, isChecked: boolean): string {
  if (!isChecked || item.verdict === undefined) return item.text
  const movedTo = item.subject.kind === 'file' ? item.subject.movedTo : undefined
  return `${item.text}${MARKS[item.verdict]}${movedTo === undefined ? '' : ` now ${movedTo}`}`
}

const LISTS: ReadonlySet<SectionKey> = new Set<SectionKey>([
  'edited',
  'uncommitted',
  'read',
  'named',
  'commands',
  'identifiers',
  'refs',
])

/** Whether a section lists names rather than sentences. */
export function isList(section: SectionKey): boolean {
  return LISTS.has(section)
}

interface SectionOptions {
  /** Marks are rendered only if the worktree could be checked. */
  readonly isChecked: boolean
  /** Names that are rendered behind a file. */
  readonly behind?: ReadonlyMap<string, readonly Item[]>
}

function namesBehind({ subject }: Item, { behind }: SectionOptions): string {
  const names = (subject.kind === 'file' ? behind?.get(subject.path) : undefined) ?? []
  return names.length === 0 ? '' : ` (${names.map((name) => name.text).join(' ')})`
}

/** One labelled line for a section. */
export function renderSection(section: SectionKey, items: readonly Item[], options: SectionOptions): string {
  const separator = section === 'identifiers' ? ' ' : LISTS.has(section) ? ', ' : '; '
  const rendered = items.map((item) => `${marked(item, options.isChecked)}${namesBehind(item, options)}`)
  return `${LABELS[section]}: ${rendered.join(separator)}`
}
