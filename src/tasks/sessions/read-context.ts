import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import { changedSince } from '../patch/changed-since.ts'
import { recallTask } from '../memory/memorize.ts'
import { getStatus, type OpenTask } from '../files/open-task.ts'
import type { OpeningSources } from './opening-text.ts'
import type { RitualRecord } from './ritual-record.ts'
import { PROGRESS } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'

const PROGRESS_CHARS = 8_000
const HISTORY_LINES = 10

/** The first four steps of a start: what is remembered, what was done, where it stands, what was committed. */
export async function readContext(
  world: TaskWorld,
  task: OpenTask,
  record: RitualRecord,
  checkpoint: TaskCheckpoint | null,
): Promise<Omit<OpeningSources, 'slug' | 'checkpoint'>> {
  const { folder, place } = task
  const memory = await record.step('recall', async () => {
    const found = await recallTask(world, task)
    return [found?.content, found === undefined ? 'nothing is remembered of this task' : `memory ${found.id}`]
  })
  const progress = await record.step('progress', async () => {
    const text = folder.text(PROGRESS) ?? ''
    return [text.slice(-PROGRESS_CHARS), `${text.length} characters in ${folder.pathOf(PROGRESS)}`]
  })
  const status = await record.step('status', async () => {
    const now = getStatus(folder)
    return [
      now,
      `${now.status} at ${now.current_gate}, ${now.blockers.length} ${now.blockers.length === 1 ? 'blocker' : 'blockers'}`,
    ]
  })
  const history = await record.step('history', async () => {
    const commits = (await world.history.log(place.worktree, HISTORY_LINES)) ?? []
    return [commits.map(({ id: commit, subject }) => `${commit} ${subject}`), `${commits.length} commits`]
  })
  return { memory, progress, status, history, changed: await changedSince(world, task, checkpoint) }
}
