import { type ChainFile, findHeads, type CheckpointIndex } from '../chain/checkpoint-index.ts'
import type { Gate } from '../model/gate.ts'
import type {
  ChainLink,
  CheckpointContent,
  GateEvidence,
  TaskCheckpoint,
  TaskCheckpointType,
} from '../model/task-checkpoint.ts'
import type { SessionOutcome, TaskSession } from '../model/task-session.ts'
import type { TaskStatus } from '../model/task.ts'
import { getCurrentGate, getStatus, type OpenTask } from '../files/open-task.ts'
import { hashFiles } from '../patch/changed-files.ts'
import { readChain, readIndex, readSession, sessionPath } from '../files/task-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'

/** The task's status after the checkpoint. */
export function applyCheckpoint(status: TaskStatus, checkpoint: TaskCheckpoint): TaskStatus {
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

/** Updates the session's file after a checkpoint. */
export function updateSessionFile(
  folder: OpenTask['folder'],
  given: TaskSession,
  { timestamp, gate }: TaskCheckpoint,
  contextTokens: number | undefined,
): void {
  const session = readSession(folder, given.session_id) ?? given
  folder.writeJson(sessionPath(session.session_id), {
    ...session,
    last_activity: timestamp,
    current_gate: gate,
    checkpoint_count: session.checkpoint_count + 1,
    context_tokens: contextTokens ?? session.context_tokens,
  } satisfies TaskSession)
}

export interface CheckpointRequest {
  readonly type: TaskCheckpointType
  readonly content: CheckpointContent
  /** Undefined if a person changes the task outside any session. */
  readonly session: TaskSession | undefined
  /** Default: the task's current gate. */
  readonly gate?: Gate
  readonly overrideReason?: string
  /** Of a `session_end`. */
  readonly outcome?: SessionOutcome
  /** Made from observations: missing parts are recorded in `missing` instead of refused. */
  readonly isObserved?: boolean
  /** Expected parts that are absent. */
  readonly missing?: readonly string[]
  readonly evidence?: readonly GateEvidence[]
  /** Called in the locked step: another process may have written the same checkpoint already. */
  readonly findWritten?: () => ChainFile | undefined
  /** Further changes to the status, in the same locked step. */
  readonly changeStatus?: (status: TaskStatus) => TaskStatus
}

/** Prefers the hash in the index: a successor must not vouch for a file that was changed since. */
function linkTo({ checkpoint, sha256 }: ChainFile, index: CheckpointIndex | undefined): ChainLink {
  const id = checkpoint.checkpoint_id
  const recorded = index?.checkpoints.find((entry) => entry.checkpoint_id === id)?.sha256
  return { checkpoint_id: id, sha256: recorded ?? sha256 }
}

export function composeCheckpoint(
  folder: TaskFolder,
  request: CheckpointRequest,
  facts: {
    readonly id: string
    readonly at: string
    readonly git: TaskCheckpoint['state']['git']
    readonly absent: readonly string[]
  },
): TaskCheckpoint {
  const { type, content, session, evidence = [], missing = [] } = request
  const status = getStatus(folder)
  const heads = findHeads(readChain(folder).files)
  const index = readIndex(folder)
  const known = index === 'missing' || 'problem' in index ? undefined : index
  const [parent, ...others] = heads.map((head) => linkTo(head, known)).reverse()
  const gate = request.gate ?? getCurrentGate(folder)
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
    ...(request.outcome !== undefined && { outcome: request.outcome }),
    state: {
      files_changed: hashFiles(folder.root, content.files ?? []),
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
    missing: [...facts.absent, ...missing],
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
