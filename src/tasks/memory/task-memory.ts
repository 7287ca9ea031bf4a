import { getErrorMessage } from '../../kernel/errors.ts'
import { logLine } from '../model/log-lines.ts'
import { createTaskTag, type BackendMemory, type MemoryBackend } from '../model/memory-backend.ts'
import { TASK_CHECKPOINT_TAG } from '../../kernel/memory.ts'
import type { TaskCheckpoint, TaskCheckpointType } from '../model/task-checkpoint.ts'
import { listCheckpoints, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import { addLogLine, MEMORY_IDS, readMemoryIds, updateManifest } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { formatGate } from '../model/gate.ts'
import type { TaskDefinition, TaskStatus } from '../model/task.ts'
import { truncate } from '../../kernel/text/text.ts'

const MAX_MIRROR_CHARS = 2_000
const MAX_MEMORY_CHARS = 12_000

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n${lines.length === 0 ? '- nothing yet' : lines.map((line) => `- ${line}`).join('\n')}`
}

/** The memory text of a checkpoint. */
function renderCheckpointMemory(checkpoint: TaskCheckpoint): string {
  const { state } = checkpoint
  const lines = [
    `Task ${checkpoint.task_slug}, ${formatGate(checkpoint.gate)}, ${checkpoint.type}: ${checkpoint.summary}`,
    ...state.decisions.map(({ decision, rationale }) => `Decided: ${decision} (${rationale})`),
    ...state.errors.map(({ error, resolution }) => `Error: ${error}. Resolved: ${resolution}`),
    ...(state.files_changed.length > 0
      ? [
          `Files: ${state.files_changed
            .map(({ path }) => path)
            .slice(0, 20)
            .join(', ')}`,
        ]
      : []),
    ...(checkpoint.next_steps.length > 0 ? [`Next: ${checkpoint.next_steps.join('; ')}`] : []),
    `Checkpoint ${checkpoint.checkpoint_id}`,
  ]
  return truncate(lines.join('\n'), MAX_MIRROR_CHARS)
}

/** The eight sections of `/memorize`, from the checkpoints. */
function renderTaskMemory(
  definition: TaskDefinition,
  status: TaskStatus,
  checkpoints: readonly TaskCheckpoint[],
): string {
  const decisions = checkpoints.flatMap(({ state }) => state.decisions)
  const files = new Set(checkpoints.flatMap(({ state }) => state.files_changed.map(({ path }) => path)))
  const errors = checkpoints.flatMap(({ state }) => state.errors)
  const unique = [...new Map(decisions.map((one) => [one.decision, one])).values()]
  const text = [
    `# Task ${definition.task_slug}: ${definition.title}`,
    section('Core Understanding', [
      `${definition.flow} task, ${status.status}, at ${formatGate(status.current_gate)}`,
      ...definition.acceptance_criteria,
    ]),
    section(
      'Conversation Evolution',
      checkpoints.slice(-20).map(({ timestamp, gate, summary }) => `${timestamp.slice(0, 10)} ${gate}: ${summary}`),
    ),
    section(
      'Key Decisions',
      unique.slice(-20).map(({ decision, rationale }) => `${decision} → ${rationale}`),
    ),
    section('Specifications/Artifacts', [...files].slice(0, 40)),
    section(
      'Important Points',
      errors.slice(-10).map(({ error, resolution }) => `${error} → ${resolution}`),
    ),
    section('User Context', [`Why: ${definition.title}`]),
    section('Related Systems', []),
    section('Context & Constraints', [
      ...status.blockers.map((blocker) => `Blocked: ${blocker}`),
      ...status.next_steps.map((next) => `Next: ${next}`),
    ]),
  ].join('\n\n')
  return truncate(text, MAX_MEMORY_CHARS)
}

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
const LOCAL = 'local'

/** Stores the checkpoint as a memory in every backend. Returns the failures, if any. */
export async function mirrorCheckpoint(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  checkpoint: TaskCheckpoint,
): Promise<true | string> {
  const failures: string[] = []
  for (const backend of ports.memoryBackends(location.worktree)) {
    try {
      await backend.store({
        content: folder.redactor.redact(renderCheckpointMemory(checkpoint)),
        importance: IMPORTANCE[checkpoint.type],
        tags: [TASK_CHECKPOINT_TAG, createTaskTag(folder.slug), checkpoint.checkpoint_id],
      })
    } catch (thrown) {
      failures.push(`${backend.name}: ${getErrorMessage(thrown)}`)
      ports.log.warn('task checkpoint not mirrored', {
        task: folder.slug,
        backend: backend.name,
        error: getErrorMessage(thrown),
      })
    }
  }
  return failures.length === 0 ? true : failures.join('; ')
}

export interface MemorizeResult {
  /** The backend's id; null if it was not stored. */
  readonly id: string | null
  /** The text was read back unchanged. */
  readonly isVerified: boolean
  readonly detail: string
}

async function saveAndVerify(
  backend: MemoryBackend,
  known: string | null,
  content: string,
  tags: readonly string[],
): Promise<MemorizeResult> {
  const input = { content, importance: MEMORY_IMPORTANCE, tags }
  try {
    const isKnown = known !== null && (await backend.find(known)) !== undefined
    const { id } = isKnown ? await backend.update(known, input) : await backend.store(input)
    const isVerified = (await backend.find(id))?.content === content
    const verb = isKnown ? 'updated' : 'created'
    return {
      id,
      isVerified,
      detail: `${verb} ${id} in ${backend.name}${isVerified ? '' : ', but it reads back differently'}`,
    }
  } catch (thrown) {
    return { id: null, isVerified: false, detail: `not stored in ${backend.name}: ${getErrorMessage(thrown)}` }
  }
}

/** `/memorize update <slug>`. `parity_verified` in the manifest is true only if the text was read back unchanged. */
export async function memorizeTask(
  ports: TaskPorts,
  task: OpenTask,
  sessionId: string | undefined,
): Promise<MemorizeResult> {
  const { folder, location, governance } = task
  const known = readMemoryIds(folder)
  const content = folder.redactor.redact(
    renderTaskMemory(getDefinition(folder), getStatus(folder), listCheckpoints(folder)),
  )
  const tags = ['task', createTaskTag(folder.slug)]
  const results: MemorizeResult[] = []
  // In every backend: the local copy answers while the REST backend is down.
  for (const backend of ports.memoryBackends(location.worktree)) {
    const id = backend.name === LOCAL ? (known.local ?? known.primary) : known.primary
    results.push(await saveAndVerify(backend, id, content, tags))
  }
  const localId = results[0]?.id ?? null
  const memorized = results.at(-1) ?? { id: null, isVerified: false, detail: 'no memory backend' }
  const primary = known.primary
  const { id, isVerified } = memorized
  await folder.locked(() => {
    if (id !== null || localId !== null)
      folder.writeJson(MEMORY_IDS, {
        primary: id ?? primary,
        ...(results.length > 1 && localId !== null && { local: localId }),
      })
  })
  await updateManifest(folder, (manifest) => ({
    ...manifest,
    memory: {
      memory_ids: id === null ? (primary === null ? [] : [primary]) : [id],
      parity_verified: isVerified,
      parity_timestamp: ports.clock.now(),
      ...(!isVerified && { parity_problem: folder.redactor.redact(memorized.detail) }),
    },
  }))
  await addLogLine(
    ports,
    task,
    sessionId,
    logLine.memoryParity(governance.service, isVerified, folder.resolvePath(MEMORY_IDS)),
  )
  return memorized
}

export interface RecalledMemory {
  readonly memory: BackendMemory | undefined
  /** Why the configured backend was not read; the memory is then from the local store. */
  readonly problem?: string
}

async function recallFrom(
  backend: MemoryBackend,
  { folder }: OpenTask,
  id: string | null,
): Promise<BackendMemory | undefined> {
  const direct = id === null ? undefined : await backend.find(id)
  if (direct !== undefined) return direct
  const tag = createTaskTag(folder.slug)
  const found = await backend.search(folder.slug.replaceAll('-', ' '), 10)
  return (
    found.find(({ tags }) => tags.includes(tag) && !tags.includes(TASK_CHECKPOINT_TAG)) ??
    found.find(({ tags }) => tags.includes(tag))
  )
}

/** `/recall <slug>`: by the task's memory id, else by its tag. From the REST backend if one is configured and answers. */
export async function recallTask(ports: TaskPorts, task: OpenTask): Promise<RecalledMemory> {
  const [local, rest] = ports.memoryBackends(task.location.worktree)
  const ids = readMemoryIds(task.folder)
  let problem: string | undefined
  for (const backend of [rest, local]) {
    if (backend === undefined) continue
    try {
      const memory = await recallFrom(backend, task, backend === local ? (ids.local ?? ids.primary) : ids.primary)
      if (memory !== undefined || backend === local) return { memory, ...(problem !== undefined && { problem }) }
    } catch (thrown) {
      problem = getErrorMessage(thrown)
      ports.log.warn('task memory not recalled', { task: task.folder.slug, backend: backend.name, error: problem })
    }
  }
  return { memory: undefined, ...(problem !== undefined && { problem }) }
}
