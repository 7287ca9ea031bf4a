import type { SessionEvent } from '../../kernel/event.ts'
import { errorLinesIn } from '../../kernel/text/error-lines.ts'
import { purposeOf, runnableParts } from '../../kernel/shell/command.ts'
import type { ChangedFile, ErrorRecovery, TaskDecision } from './task-checkpoint.ts'

/** Edited files that together are a major edit; one that is created or deleted is enough by itself. */
const MAJOR_EDIT_FILES = 5

/** What was seen of a session since its task's last checkpoints, from tool results alone. */
export interface WorkSeen {
  /** Relative to the checkout. */
  readonly files: ReadonlyMap<string, ChangedFile['action']>
  /** What failed and did not work since, by command. */
  readonly failing: ReadonlyMap<string, string>
  readonly recoveries: readonly ErrorRecovery[]
  readonly decisions: readonly TaskDecision[]
}

export const NOTHING_SEEN: WorkSeen = { files: new Map(), failing: new Map(), recoveries: [], decisions: [] }

const MAX_FILES = 200
const MAX_FAILING = 50
const ACTIONS = { created: 'created', edited: 'modified', deleted: 'deleted' } as const
const CHECKS: ReadonlySet<string> = new Set(['test', 'build', 'lint'])

function relativeTo(root: string, path: string): string | undefined {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  const isOutside = inside.startsWith('/') || inside.split('/').includes('..') || /^[A-Za-z]:/.test(inside)
  return isOutside || inside === '' || inside.startsWith('tasks/') ? undefined : inside
}

function withFiles(seen: WorkSeen, event: SessionEvent & { kind: 'tool-finished' }, root: string): WorkSeen {
  const files = new Map(seen.files)
  for (const { path, action } of event.tool.files) {
    const inside = action === 'read' ? undefined : relativeTo(root, path)
    if (action === 'read' || inside === undefined || files.size >= MAX_FILES) continue
    const isNew = files.get(inside) === 'created' && action === 'edited'
    files.set(inside, isNew ? 'created' : ACTIONS[action])
  }
  return { ...seen, files }
}

/** A test, build or lint that failed and then passed: an error, and what was changed in between. */
function withRun(seen: WorkSeen, { tool, outcome }: SessionEvent & { kind: 'tool-finished' }): WorkSeen {
  const { command } = tool
  if (command === undefined || !runnableParts(command).some((part) => CHECKS.has(purposeOf(part)))) return seen
  const failing = new Map(seen.failing)
  if (!outcome.ok) {
    const [line] = errorLinesIn(outcome.output ?? '', 1)
    if (failing.size < MAX_FAILING) failing.set(command, line?.text ?? `exit status ${outcome.exitStatus ?? 'unknown'}`)
    return { ...seen, failing }
  }
  const error = failing.get(command)
  if (error === undefined) return seen
  failing.delete(command)
  const changed = [...seen.files.keys()].slice(-5)
  const resolution = `${command} passes${changed.length === 0 ? '' : ` after changes to ${changed.join(', ')}`}`
  return { ...seen, failing, recoveries: [...seen.recoveries, { error: `${command}: ${error}`, resolution }] }
}

/** What is known after one more event of the session. Events that a task checkpoint told itself say nothing new. */
export function seeWork(seen: WorkSeen, event: SessionEvent, root: string): WorkSeen {
  if (event.id.startsWith('ckpt-')) return seen
  if (event.kind === 'tool-finished') return withRun(event.outcome.ok ? withFiles(seen, event, root) : seen, event)
  if (event.kind === 'error-recovered') {
    const { error, resolution } = event
    return { ...seen, recoveries: [...seen.recoveries, { error, resolution }] }
  }
  if (event.kind === 'decision-made') {
    const { decision, rationale = '', alternatives = [] } = event
    return { ...seen, decisions: [...seen.decisions, { decision, rationale, alternatives_considered: alternatives }] }
  }
  return seen
}

export function areFilesDue({ files }: WorkSeen): boolean {
  return files.size >= MAJOR_EDIT_FILES || [...files.values()].some((action) => action !== 'modified')
}

export function isCheckpointDue(seen: WorkSeen): boolean {
  return areFilesDue(seen) || seen.recoveries.length > 0 || seen.decisions.length > 0
}

/** What is still to be told once the checkpoints of it are written. */
export function afterWriting(seen: WorkSeen): WorkSeen {
  return { ...NOTHING_SEEN, failing: seen.failing, files: areFilesDue(seen) ? NOTHING_SEEN.files : seen.files }
}
