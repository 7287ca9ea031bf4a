import { HoldfastError } from '../core/errors.ts'
import { datedId } from '../core/id.ts'
import { type ChainFile, headsOf, type CheckpointIndex } from '../core/task/checkpoint-index.ts'
import { type Gate, laterGate } from '../core/task/gate.ts'
import { missingRequired } from '../core/task/required-content.ts'
import { logLine } from '../core/task/log-lines.ts'
import type {
  ChainLink,
  CheckpointContent,
  EvidenceFile,
  TaskCheckpoint,
  TaskCheckpointType,
} from '../core/task/task-checkpoint.ts'
import type { TaskSession } from '../core/task/task-session.ts'
import type { TaskStatus } from '../core/task/task-status.ts'
import type { WrittenCheckpoint } from '../core/task/tasks.ts'
import { mirrorCheckpoint } from './memorize.ts'
import { getStatus, type OpenTask } from './open-task.ts'
import { addLogLine } from './session-log.ts'
import { checkpointEvents, findSpeaker } from './speaking.ts'
import { appendToIndex, checkpointPath, readChain, readIndex, sessionPath, STATUS } from './task-files.ts'
import { hashOf, type TaskWorld } from './world.ts'
import { parseJson } from '../protocol/json.ts'
import { parse } from '../protocol/parse.ts'
import { TaskCheckpointSchema, TaskSessionSchema } from '../protocol/task-files.ts'

export interface CheckpointRequest {
  readonly type: TaskCheckpointType
  readonly content: CheckpointContent
  /** Undefined when a person moves the task outside any session. */
  readonly session: TaskSession | undefined
  /** The task's own unless it is being entered. */
  readonly gate?: Gate
  readonly overrideReason?: string
  /** Made from what was seen: what nobody told is noted instead of refused. */
  readonly isObserved?: boolean
  /** What S2 wants and nobody told. */
  readonly missing?: readonly string[]
  readonly evidence?: readonly EvidenceFile[]
  /** What else changes about the status, in the same step. */
  readonly changeStatus?: (status: TaskStatus) => TaskStatus
}

function refuseIncomplete({ type, isObserved = false }: CheckpointRequest, missing: readonly string[]): void {
  if (missing.length === 0 || isObserved) return
  throw new HoldfastError('invalid-input', `A ${type} checkpoint needs ${missing.join(', ')}.`, {
    hint: 'Say what is missing; nothing was written.',
  })
}

/** The recorded hash where there is one: a file that was changed since must not get a successor that vouches for the change. */
function linkTo({ checkpoint, sha256 }: ChainFile, index: CheckpointIndex | undefined): ChainLink {
  const id = checkpoint.checkpoint_id
  const recorded = index?.checkpoints.find((entry) => entry.checkpoint_id === id)?.sha256
  return { checkpoint_id: id, sha256: recorded ?? sha256 }
}

function compose(
  { folder }: OpenTask,
  request: CheckpointRequest,
  facts: {
    readonly id: string
    readonly at: string
    readonly git: TaskCheckpoint['state']['git']
    readonly lacking: readonly string[]
  },
): TaskCheckpoint {
  const { type, content, session, evidence = [], missing = [] } = request
  const status = getStatus(folder)
  const heads = headsOf(readChain(folder).files)
  const index = readIndex(folder)
  const known = index === 'missing' || 'problem' in index ? undefined : index
  const [parent, ...others] = heads.map((head) => linkTo(head, known)).reverse()
  const current = heads.reduce((gate, { checkpoint }) => laterGate(gate, checkpoint.gate), status.current_gate)
  const gate = request.gate ?? (heads.length > 1 ? current : status.current_gate)
  const step = content.step ?? (type === 'gate_transition' ? 0 : status.current_step)
  const nextSteps = content.nextSteps ?? status.next_steps
  return {
    schema_version: 1,
    checkpoint_id: facts.id,
    task_slug: folder.slug,
    session_id: session?.session_id ?? null,
    timestamp: facts.at,
    gate,
    step,
    type,
    summary: content.summary ?? defaultSummary(request),
    state: {
      files_changed: content.files ?? [],
      tests: content.tests ?? null,
      decisions: content.decisions ?? [],
      errors: content.errors ?? [],
      blockers: content.blockers ?? status.blockers,
      git: facts.git,
      patch: content.patch ?? null,
      evidence,
      safety_metrics: content.safetyMetrics ?? null,
    },
    next_steps: nextSteps,
    can_resume: content.canResume ?? true,
    resume_instructions:
      content.resumeInstructions ?? `Continue from ${gate} step ${step + 1}${nextSteps[0] ? `, ${nextSteps[0]}` : ''}`,
    missing: [...facts.lacking, ...missing],
    override_reason: request.overrideReason ?? null,
    parent: parent ?? null,
    joins: others,
  }
}

function defaultSummary({ type, content }: CheckpointRequest): string {
  if (type === 'decision') return content.decisions?.map(({ decision }) => decision).join('; ') ?? ''
  if (type === 'error_recovery') return content.errors?.map(({ error }) => `Recovered: ${error}`).join('; ') ?? ''
  return type
}

function afterCheckpoint(status: TaskStatus, checkpoint: TaskCheckpoint): TaskStatus {
  return {
    ...status,
    current_gate: checkpoint.gate,
    current_step: checkpoint.step,
    last_session: checkpoint.session_id ?? status.last_session,
    last_activity: checkpoint.timestamp,
    last_checkpoint: checkpoint.checkpoint_id,
    blockers: checkpoint.state.blockers,
    next_steps: checkpoint.next_steps,
    status:
      checkpoint.state.blockers.length > 0 ? 'blocked' : status.status === 'blocked' ? 'in-progress' : status.status,
  }
}

function noteInSession(
  folder: OpenTask['folder'],
  given: TaskSession,
  { timestamp, gate }: TaskCheckpoint,
  contextTokens: number | undefined,
): void {
  const session = folder.json(sessionPath(given.session_id), TaskSessionSchema) ?? given
  folder.writeJson(sessionPath(session.session_id), {
    ...session,
    last_activity: timestamp,
    current_gate: gate,
    checkpoint_count: session.checkpoint_count + 1,
    context_tokens: contextTokens ?? session.context_tokens,
  } satisfies TaskSession)
}

/**
 * Refuses incomplete content, then writes file, index, session and status in one locked step; after that the event log and
 * the memories hear of it. What those miss, `repair` tells them again.
 */
export async function writeCheckpoint(
  world: TaskWorld,
  task: OpenTask,
  request: CheckpointRequest,
): Promise<WrittenCheckpoint> {
  const lacking = missingRequired(request.type, request.content)
  refuseIncomplete(request, lacking)
  const { folder, place, governance } = task
  const behind = request.session === undefined ? undefined : await findSpeaker(world, request.session)
  const contextTokens = behind?.contextTokens
  const state = await world.git.state(place.worktree)
  const at = world.clock.now()
  const id = datedId('ckpt', at, world.entropy.bytes(10))
  const git =
    state === undefined
      ? null
      : { branch: state.branch ?? null, head: state.head ?? null, uncommitted: state.dirty?.paths.length ?? 0 }
  const { checkpoint, sha256, from } = await folder.locked(() => {
    const before = getStatus(folder)
    const composed = compose(task, request, { id, at, git, lacking })
    const text = folder.writeJson(checkpointPath(id), composed)
    const written = {
      file: `${id}.json`,
      sha256: hashOf(text),
      checkpoint: parse(TaskCheckpointSchema, parseJson(text)),
    }
    appendToIndex(folder, written)
    if (request.session !== undefined) noteInSession(folder, request.session, written.checkpoint, contextTokens)
    const after = afterCheckpoint(before, written.checkpoint)
    folder.writeJson(STATUS, request.changeStatus?.(after) ?? after)
    return { ...written, from: before.current_gate }
  })
  const line = logLine.checkpointCreated(governance.service, id)
  await addLogLine(world, task, request.session?.session_id, line)
  await world.continuity.recordAll(
    checkpointEvents(checkpoint, request.session, { at, cwd: place.worktree, world, from }),
  )
  return { checkpoint, sha256, line, mirrored: await mirrorCheckpoint(world, task, checkpoint) }
}
