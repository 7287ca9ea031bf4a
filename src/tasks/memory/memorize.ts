import { messageOf } from '../../kernel/errors.ts'
import { logLine } from '../model/log-lines.ts'
import { taskTag, type AdapterMemory, type MemoryAdapter } from '../model/memory-adapter.ts'
import { TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import { checkpointMemory, taskMemory } from '../model/memory-text.ts'
import type { TaskCheckpoint, TaskCheckpointType } from '../model/task-checkpoint.ts'
import { checkpointsOf, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import { addLogLine } from '../files/session-log.ts'
import { MEMORY_IDS, readMemoryIds, updateManifest } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'

const IMPORTANCE: Readonly<Record<TaskCheckpointType, number>> = {
  gate_transition: 6,
  decision: 7,
  file_change: 3,
  error_recovery: 6,
  session_end: 6,
  interrupted: 5,
  emergency: 6,
  context_refresh: 4,
  explicit: 5,
}
const MEMORY_IMPORTANCE = 7

/** S2's mirror: the checkpoint can be found among the memories. A keeper that is away costs nothing but that, and is named. */
export async function mirrorCheckpoint(
  world: TaskWorld,
  { folder, place }: OpenTask,
  checkpoint: TaskCheckpoint,
): Promise<true | string> {
  const failures: string[] = []
  for (const keeper of world.memories(place.worktree)) {
    try {
      await keeper.store({
        content: folder.redactor.redact(checkpointMemory(checkpoint)),
        importance: IMPORTANCE[checkpoint.type],
        tags: [TASK_CHECKPOINT_TAG, taskTag(folder.slug), checkpoint.checkpoint_id],
      })
    } catch (thrown) {
      failures.push(`${keeper.name}: ${messageOf(thrown)}`)
      world.log.warn('task checkpoint not mirrored', {
        task: folder.slug,
        keeper: keeper.name,
        error: messageOf(thrown),
      })
    }
  }
  return failures.length === 0 ? true : failures.join('; ')
}

export interface Memorized {
  /** The id that the keeper gave; null when it gave none. */
  readonly id: string | null
  /** The keeper has the text, read back word for word. */
  readonly isVerified: boolean
  readonly detail: string
}

async function keep(
  keeper: MemoryAdapter,
  known: string | null,
  content: string,
  tags: readonly string[],
): Promise<Memorized> {
  const input = { content, importance: MEMORY_IMPORTANCE, tags }
  try {
    const isKnown = known !== null && (await keeper.find(known)) !== undefined
    const { id } = isKnown ? await keeper.update(known, input) : await keeper.store(input)
    const isVerified = (await keeper.find(id))?.content === content
    const verb = isKnown ? 'updated' : 'created'
    return {
      id,
      isVerified,
      detail: `${verb} ${id} in ${keeper.name}${isVerified ? '' : ', and it reads back otherwise'}`,
    }
  } catch (thrown) {
    return { id: null, isVerified: false, detail: `not kept in ${keeper.name}: ${messageOf(thrown)}` }
  }
}

/** The keeper that S2 calls the Memory Adapter: the REST one where it is configured, else the local store. */
function primaryKeeper(world: TaskWorld, cwd: string): MemoryAdapter | undefined {
  return world.memories(cwd).at(-1)
}

/** `/memorize update <slug>`. What the manifest says of parity is what was read back, never a hope. */
export async function memorizeTask(
  world: TaskWorld,
  task: OpenTask,
  sessionId: string | undefined,
): Promise<Memorized> {
  const { folder, place, governance } = task
  const keeper = primaryKeeper(world, place.worktree)
  const { primary } = readMemoryIds(folder)
  const content = folder.redactor.redact(taskMemory(getDefinition(folder), getStatus(folder), checkpointsOf(folder)))
  const memorized =
    keeper === undefined
      ? { id: null, isVerified: false, detail: 'nobody keeps memories here' }
      : await keep(keeper, primary, content, ['task', taskTag(folder.slug)])
  const { id, isVerified } = memorized
  await folder.locked(() => {
    if (id !== null) folder.writeJson(MEMORY_IDS, { primary: id })
  })
  await updateManifest(folder, (manifest) => ({
    ...manifest,
    memory: {
      memory_ids: id === null ? (primary === null ? [] : [primary]) : [id],
      parity_verified: isVerified,
      parity_timestamp: world.clock.now(),
      ...(!isVerified && { parity_problem: folder.redactor.redact(memorized.detail) }),
    },
  }))
  await addLogLine(
    world,
    task,
    sessionId,
    logLine.memoryParity(governance.service, isVerified, folder.pathOf(MEMORY_IDS)),
  )
  return memorized
}

/** `/recall <slug>`: by the id the task has, else by its tag's words. Undefined when nothing is remembered or nobody answers. */
export async function recallTask(world: TaskWorld, { folder, place }: OpenTask): Promise<AdapterMemory | undefined> {
  const keeper = primaryKeeper(world, place.worktree)
  if (keeper === undefined) return undefined
  try {
    const { primary } = readMemoryIds(folder)
    const direct = primary === null ? undefined : await keeper.find(primary)
    if (direct !== undefined) return direct
    const tag = taskTag(folder.slug)
    const found = await keeper.search(folder.slug.replaceAll('-', ' '), 10)
    return (
      found.find(({ tags }) => tags.includes(tag) && !tags.includes(TASK_CHECKPOINT_TAG)) ??
      found.find(({ tags }) => tags.includes(tag))
    )
  } catch (thrown) {
    world.log.warn('task memory not recalled', { task: folder.slug, keeper: keeper.name, error: messageOf(thrown) })
    return undefined
  }
}
