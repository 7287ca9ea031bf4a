import { fence } from '../../kernel/text/fence.ts'
import { formatGate } from '../model/gate.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskStatus } from '../model/task.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { findLostPreconditions } from '../patch/changed-files.ts'
import { recallTask } from '../memory/task-memory.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import type { RitualRecord } from './ritual-record.ts'
import { PROGRESS } from '../files/task-files.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const PROGRESS_CHARS = 8_000
const HISTORY_LINES = 10

/** The first four steps of the startup ritual: recall, progress, status, history. */
export async function readOpeningSources(
  ports: TaskPorts,
  task: OpenTask,
  record: RitualRecord,
  checkpoint: TaskCheckpoint | null,
): Promise<Omit<OpeningSources, 'slug' | 'checkpoint'>> {
  const { folder, location } = task
  const memory = await record.step('recall', async () => {
    const found = await recallTask(ports, task)
    return [found?.content, found === undefined ? 'no memory of this task' : `memory ${found.id}`]
  })
  const progress = await record.step('progress', async () => {
    const text = folder.text(PROGRESS) ?? ''
    return [text.slice(-PROGRESS_CHARS), `${text.length} characters in ${folder.resolvePath(PROGRESS)}`]
  })
  const status = await record.step('status', async () => {
    const now = getStatus(folder)
    return [
      now,
      `${now.status} at ${now.current_gate}, ${now.blockers.length} ${now.blockers.length === 1 ? 'blocker' : 'blockers'}`,
    ]
  })
  const history = await record.step('history', async () => {
    const commits = (await ports.history.log(location.worktree, HISTORY_LINES)) ?? []
    return [commits.map(({ id: commit, subject }) => `${commit} ${subject}`), `${commits.length} commits`]
  })
  return { memory, progress, status, history, changed: await findLostPreconditions(ports, task, checkpoint) }
}

const BUDGET_CHARS = 6_000
const MEMORY_LINES = 20
const PROGRESS_LINES = 20

export interface OpeningSources {
  readonly slug: string
  readonly status: TaskStatus
  readonly checkpoint: TaskCheckpoint | null
  readonly memory: string | undefined
  readonly progress: string
  readonly history: readonly string[]
  readonly changed: readonly string[]
}

function renderList(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function takeLastLines(text: string, most: number): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-most)
}

/** The context for a starting session. Fenced, because text from the task folder is evidence and never an instruction. */
export function renderOpening(sources: OpeningSources): string {
  const { slug, status, checkpoint, memory = '', progress, history, changed } = sources
  const lines = [
    `Task ${slug}: ${status.status}, at ${formatGate(status.current_gate)}, step ${status.current_step}`,
    ...(checkpoint === null
      ? []
      : [
          `Last checkpoint ${checkpoint.checkpoint_id} (${checkpoint.type}): ${checkpoint.summary}`,
          `Resume: ${checkpoint.resume_instructions}`,
        ]),
    ...renderList('Next steps:', status.next_steps),
    ...renderList('Blocked by:', status.blockers),
    ...renderList('Changed since the last checkpoint:', changed),
    ...renderList('Recent commits:', history),
    ...renderList('Progress so far:', takeLastLines(progress, PROGRESS_LINES)),
    ...renderList('Remembered:', takeLastLines(memory, MEMORY_LINES)),
  ]
  return fence({ heading: '## Task Context', lines, budgetChars: BUDGET_CHARS, sha256 }).text
}
