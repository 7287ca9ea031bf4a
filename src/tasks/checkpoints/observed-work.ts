import type { TaskLink } from '../files/task-links.ts'
import { openTask } from '../files/open-task.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from './write-checkpoint.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { findErrorLines } from '../../kernel/text/command-output.ts'
import { classifyCommand, listRunnableCommands } from '../../kernel/shell/command.ts'
import type { CheckpointFileChange, ErrorRecovery, TaskDecision } from '../model/task-checkpoint.ts'

/** This many edited files are a major edit. One created or deleted file is enough. */
const MAJOR_EDIT_FILES = 5

/** What the events of a session showed since its task's last checkpoints. */
export interface ObservedWork {
  /** Paths relative to the checkout. */
  readonly files: ReadonlyMap<string, CheckpointFileChange['action']>
  /** Error by command, for commands that have not passed since. */
  readonly failing: ReadonlyMap<string, string>
  readonly recoveries: readonly ErrorRecovery[]
  readonly decisions: readonly TaskDecision[]
}

export const NO_WORK: ObservedWork = { files: new Map(), failing: new Map(), recoveries: [], decisions: [] }

const MAX_FILES = 200
const MAX_FAILING = 50
const ACTIONS = { created: 'created', edited: 'modified', deleted: 'deleted' } as const
const CHECKS: ReadonlySet<string> = new Set(['test', 'build', 'lint'])

function relativeTo(root: string, path: string): string | undefined {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  const isOutside = inside.startsWith('/') || inside.split('/').includes('..') || /^[A-Za-z]:/.test(inside)
  return isOutside || inside === '' || inside.startsWith('tasks/') ? undefined : inside
}

function withFiles(seen: ObservedWork, event: SessionEvent & { kind: 'tool-finished' }, root: string): ObservedWork {
  const files = new Map(seen.files)
  for (const { path, action } of event.tool.files) {
    const inside = action === 'read' ? undefined : relativeTo(root, path)
    if (action === 'read' || inside === undefined || files.size >= MAX_FILES) continue
    const isNew = files.get(inside) === 'created' && action === 'edited'
    files.set(inside, isNew ? 'created' : ACTIONS[action])
  }
  return { ...seen, files }
}

/** A test, build or lint that failed and then passed is an error recovery. */
function withRun(seen: ObservedWork, { tool, outcome }: SessionEvent & { kind: 'tool-finished' }): ObservedWork {
  const { command } = tool
  // A refused command never ran, and one in the background has no result yet.
  if (outcome.refused !== undefined || tool.isBackground === true) return seen
  if (command === undefined || !listRunnableCommands(command).some((part) => CHECKS.has(classifyCommand(part))))
    return seen
  const failing = new Map(seen.failing)
  if (!outcome.ok) {
    const [line] = findErrorLines(outcome.output ?? '', 1)
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

/** Adds one event. Ignores the events of task checkpoints themselves. */
export function observeEvent(seen: ObservedWork, event: SessionEvent, root: string): ObservedWork {
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

export function areFilesDue({ files }: ObservedWork): boolean {
  return files.size >= MAJOR_EDIT_FILES || [...files.values()].some((action) => action !== 'modified')
}

export function isCheckpointDue(seen: ObservedWork): boolean {
  return areFilesDue(seen) || seen.recoveries.length > 0 || seen.decisions.length > 0
}

/** Removes what the checkpoints written now cover. */
export function removeWritten(seen: ObservedWork): ObservedWork {
  return { ...NO_WORK, failing: seen.failing, files: areFilesDue(seen) ? NO_WORK.files : seen.files }
}

const NAMED_FILES = 8

/** Writes the mandatory checkpoints of the observed work, if the session is still active. */
export async function writeObservedWork(ports: TaskPorts, link: TaskLink, work: ObservedWork): Promise<void> {
  const task = await openTask(ports, { cwd: link.root, slug: link.slug })
  const session = readSession(task.folder, link.taskSession)
  if (session?.state !== 'active') return
  const request = { session, isObserved: true }
  const files = [...work.files].map(([path, action]) => ({ path, action }))
  if (areFilesDue(work)) {
    const named = files.slice(0, NAMED_FILES).map(({ path, action }) => `${action} ${path}`)
    const others = files.length - named.length
    const summary = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
    await writeCheckpoint(ports, task, { ...request, type: 'file_change', content: { files, summary } })
  }
  for (const recovery of work.recoveries)
    await writeCheckpoint(ports, task, { ...request, type: 'error_recovery', content: { errors: [recovery] } })
  for (const decision of work.decisions)
    await writeCheckpoint(ports, task, { ...request, type: 'decision', content: { decisions: [decision] } })
}
