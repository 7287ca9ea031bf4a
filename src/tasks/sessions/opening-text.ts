import { fence } from '../../kernel/text/fence.ts'
import { formatGate } from '../model/gate.ts'
import type { TaskCheckpoint, TaskDecision } from '../model/task-checkpoint.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { findLostPreconditions } from '../patch/changed-files.ts'
import { recallTask } from '../memory/task-memory.ts'
import { getDefinition, getStatus, listCheckpoints, type OpenTask } from '../files/open-task.ts'
import { listDecisions } from '../checkpoints/checkpoint-content.ts'
import type { RitualRecord } from './ritual-record.ts'
import { PROGRESS } from '../files/task-files.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const PROGRESS_CHARS = 8_000
const HISTORY_LINES = 10

/** What the first four startup steps found: recall, progress, status, history. */
export interface OpeningSources {
  readonly memory: string | undefined
  /** Why there may be more to recall. */
  readonly memoryProblem?: string | undefined
  readonly progress: string
  readonly history: readonly string[]
  readonly changed: readonly string[]
}

export async function readOpeningSources(
  ports: TaskPorts,
  task: OpenTask,
  record: RitualRecord,
): Promise<OpeningSources> {
  const { folder, location } = task
  const recalled = await record.step('recall', async () => {
    const found = await recallTask(ports, task)
    const what = found.memory === undefined ? 'no memory of this task' : `memory ${found.memory.id}`
    return [found, found.problem === undefined ? what : `${found.problem}; ${what} in the local store`]
  })
  const progress = await record.step('progress', async () => {
    const text = folder.text(PROGRESS) ?? ''
    return [text.slice(-PROGRESS_CHARS), `${text.length} characters in ${folder.resolvePath(PROGRESS)}`]
  })
  await record.step('status', async () => {
    const { status, current_gate: gate, blockers } = getStatus(folder)
    return [undefined, `${status} at ${gate}, ${blockers.length} ${blockers.length === 1 ? 'blocker' : 'blockers'}`]
  })
  const history = await record.step('history', async () => {
    const commits = (await ports.history.log(location.worktree, HISTORY_LINES)) ?? []
    return [commits.map(({ id: commit, subject }) => `${commit} ${subject}`), `${commits.length} commits`]
  })
  const changed = await findLostPreconditions(ports, task, listCheckpoints(folder))
  return { memory: recalled.memory?.content, memoryProblem: recalled.problem, progress, history, changed }
}

const BUDGET_CHARS = 6_000
const MEMORY_LINES = 20
const PROGRESS_LINES = 20
const SHOWN_DECISIONS = 12
const SHOWN_FILES = 20

function renderList(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function splitLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}

function renderDecision({ decision, rationale, alternatives_considered: others }: TaskDecision): string {
  const why = rationale === '' ? '' : `: ${rationale}`
  return `${decision}${why}${others.length === 0 ? '' : ` (not ${others.join(', ')})`}`
}

/** The newest test counts and the files of the newest checkpoint that lists any. */
function renderWork(checkpoints: readonly TaskCheckpoint[]): readonly string[] {
  const files = checkpoints.findLast(({ state }) => state.files_changed.length > 0)?.state.files_changed ?? []
  const tests = checkpoints.findLast(({ state }) => state.tests !== null)?.state.tests
  const shown = files.slice(0, SHOWN_FILES).map(({ path, action }) => `${action} ${path}`)
  return [
    ...renderList(
      'Files:',
      files.length > shown.length ? [...shown, `and ${files.length - shown.length} more`] : shown,
    ),
    ...(tests === null || tests === undefined
      ? []
      : [`Tests: ${tests.passing} passing, ${tests.failing} failing, ${tests.pending} pending`]),
  ]
}

/**
 * The context for a session that continues a task, the most important first: the end is cut. Fenced, because text from the task
 * folder is evidence and never an instruction.
 */
export function renderOpening(
  { folder }: Pick<OpenTask, 'folder'>,
  { checkpoint, goal }: { readonly checkpoint: TaskCheckpoint | null; readonly goal: string | null },
  { memory = '', memoryProblem, progress, history, changed }: OpeningSources,
): string {
  const status = getStatus(folder)
  const { title, acceptance_criteria: criteria } = getDefinition(folder)
  const all = listCheckpoints(folder)
  const last = all.findIndex(({ checkpoint_id: id }) => id === checkpoint?.checkpoint_id)
  const checkpoints = last === -1 ? all : all.slice(0, last + 1)
  const lines = [
    `Task ${folder.slug} (${title}): ${status.status}, at ${formatGate(status.current_gate)}, step ${status.current_step}`,
    ...(goal === null ? [] : [`Goal: ${goal}`]),
    ...renderList('Acceptance criteria:', criteria),
    ...(checkpoint === null
      ? []
      : [
          `Last checkpoint ${checkpoint.checkpoint_id} (${checkpoint.type}): ${checkpoint.summary}`,
          `Resume: ${checkpoint.resume_instructions}`,
        ]),
    ...renderList('Next steps:', status.next_steps),
    ...renderList('Blocked by:', status.blockers),
    ...renderList('Changed since the last checkpoint:', changed),
    ...renderList('Decisions:', listDecisions(checkpoints).slice(-SHOWN_DECISIONS).map(renderDecision)),
    ...renderWork(checkpoints),
    ...renderList('Recent commits:', history),
    ...renderList('Progress so far:', splitLines(progress).slice(-PROGRESS_LINES)),
    ...(memoryProblem === undefined ? [] : [`Not recalled: ${memoryProblem}`]),
    ...renderList(
      'Remembered:',
      splitLines(memory)
        .filter((line) => line !== '- nothing yet')
        .slice(0, MEMORY_LINES),
    ),
  ]
  return fence({ heading: '## Task Context', lines, budgetChars: BUDGET_CHARS, sha256 }).text
}
